import type pg from 'pg';
import { messageOf } from '#platform/errors.js';
import { bigintTypes, sqlState, surviveItsEnd } from '#platform/postgres.js';
import { isMistake, NotConnected, retryRead, unavailable, within, type Failure } from '../calls.js';
import type { EventStoreObserver } from '../observer.js';

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

const guarded = new WeakSet<pg.Pool>();

/**
 * The pool drops a connection that breaks while it is idle. Without this listener the error would end the
 * process.
 */
export function guardPool(pool: pg.Pool): pg.Pool {
  if (!guarded.has(pool)) pool.on('error', () => undefined).on('connect', surviveItsEnd);
  guarded.add(pool);
  return pool;
}

/**
 * Runs the work on one connection of a guarded pool. If a failure may have left a statement unfinished, the
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

/**
 * The pool may belong to the caller and have no time limit. A connection that comes too late goes straight back
 * to it.
 */
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
 * Runs a prepared statement. Rejects when no answer comes within `timeoutMs`; the connection is then unusable.
 */
export async function query<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  statement: Statement,
  values: unknown[],
  timeoutMs: number,
): Promise<Row[]> {
  const answer = client.query<Row>({ ...statement, values, types: bigintTypes });
  return (await within(timeoutMs, answer)).rows;
}

/** A read, or a write that may be repeated, on a connection of the pool. @throws EventStoreUnavailable */
export async function readRetrying<T>(
  read: (leftMs: number) => Promise<T>,
  deadlineMs: number,
  observer?: EventStoreObserver,
): Promise<T> {
  try {
    return await retryRead(read, { deadlineMs, observer, mayPass: sqlMayPass });
  } catch (error) {
    throw unavailableSql(error);
  }
}

export function sqlMayPass(error: unknown): boolean {
  return classifySqlFailure(error) !== 'refused';
}

/** The error that the caller gets. */
export function unavailableSql(error: unknown): Error {
  const hint = ['42P01', '3F000'].includes(sqlState(error) ?? '') ? ' (was it migrated?)' : '';
  return unavailable(error, classifySqlFailure(error), hint);
}
