import type pg from 'pg';
import { messageOf } from '#platform/errors.js';
import { bigintTypes, sqlState } from '#platform/postgres.js';
import { isMistake, NotConnected, within, type Failure } from '../calls.js';

/**
 * A statement is `not-done` if it had no connection, or if the server rolled it back for a passing reason (out
 * of connections, deadlock, failover). If its connection broke or fell silent, the outcome is unknown: it may
 * have been committed.
 */
export function classifySqlFailure(error: unknown): Failure {
  if (error instanceof NotConnected) return isConfiguration(error.cause) ? 'refused' : 'not-done';
  if (isMistake(error)) return 'refused';
  const code = sqlState(error);
  // An error without a SQLSTATE comes from the socket. 57P01 and 57P02 end a session that may just have
  // committed.
  if (code === undefined || code.startsWith('08') || code.startsWith('57P')) return 'unknown';
  const passing =
    code.startsWith('53') || code.startsWith('40') || ['57014', '55P03', '25006'].includes(code);
  return passing ? 'not-done' : 'refused';
}

/** Wrong password or database: asking again would not help. */
function isConfiguration(cause: unknown): boolean {
  const code = sqlState(cause);
  return code !== undefined && (code.startsWith('28') || code.startsWith('3D'));
}

/**
 * Runs the work on one connection of the pool. If a failure may have left a statement unfinished, the
 * connection is closed and not returned.
 */
export async function onClient<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  connectTimeoutMs = 5000,
): Promise<T> {
  let client: pg.PoolClient;
  try {
    client = await connectWithin(pool, connectTimeoutMs);
  } catch (cause) {
    throw new NotConnected(`No connection to the event store: ${messageOf(cause)}`, { cause });
  }
  let broken = true;
  try {
    const result = await work(client);
    broken = false;
    return result;
  } catch (error) {
    broken = classifySqlFailure(error) === 'unknown';
    throw error;
  } finally {
    client.release(broken);
  }
}

/** A connection that comes too late goes straight back to the pool. */
async function connectWithin(pool: pg.Pool, timeoutMs: number): Promise<pg.PoolClient> {
  const connecting = pool.connect();
  try {
    return await within(timeoutMs, connecting);
  } catch (error) {
    connecting.then((client) => client.release()).catch(() => undefined);
    throw error;
  }
}

export interface Statement {
  /** One name for each text: each connection prepares the statement once under this name. */
  readonly name: string;
  readonly text: string;
}

/**
 * Runs a prepared statement. Rejects when no answer comes in time; the connection is then unusable.
 */
export type Query = <Row extends pg.QueryResultRow>(
  statement: Statement,
  values: unknown[],
) => Promise<Row[]>;

/** Statements on a connection, each with this time limit. */
export function queriesOn(client: pg.ClientBase, timeoutMs: number): Query {
  return async <Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) => {
    const answer = client.query<Row>({ ...statement, values, types: bigintTypes });
    return (await within(timeoutMs, answer)).rows;
  };
}

/** Like {@link onClient}, for prepared statements. The limit holds for the connection and for each statement. */
export function withQueries<T>(
  pool: pg.Pool,
  timeoutMs: number,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  return onClient(pool, (client) => work(queriesOn(client, timeoutMs)), timeoutMs);
}
