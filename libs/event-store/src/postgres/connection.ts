import type pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { bigintTypes, sqlState } from '#platform/postgres.js';
import { EventStoreError, EventStoreUnavailable } from '../event-store.js';
import type { EventStoreObserver } from '../observer.js';

/** No connection could be had, so nothing was sent. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

/**
 * What a failed statement means for what it was to do:
 * - `not-sent`: there was no connection;
 * - `not-done`: the server refused and rolled back, but may do it in a moment (out of connections, deadlock, failover);
 * - `unknown`: the connection broke or fell silent, and the statement may have been committed;
 * - `refused`: the server will never do it.
 */
export type Failure = 'not-sent' | 'not-done' | 'unknown' | 'refused';

export function classify(error: unknown): Failure {
  if (error instanceof NotConnected) return isConfiguration(error.cause) ? 'refused' : 'not-sent';
  if (isMistake(error)) return 'refused';
  const code = sqlState(error);
  // Everything without a SQLSTATE comes from the socket. 57P01 and 57P02 end a session that may just have committed.
  if (code === undefined || code.startsWith('08') || code.startsWith('57P')) return 'unknown';
  const passing =
    code.startsWith('53') || code.startsWith('40') || ['57014', '55P03', '25006'].includes(code);
  return passing ? 'not-done' : 'refused';
}

/** Our own or the caller's: no server had a part in it. */
function isMistake(error: unknown): error is Error {
  return [EventStoreError, TypeError, RangeError, SyntaxError].some((mistake) => error instanceof mistake);
}

/** Wrong password or database: asking again would not help. */
function isConfiguration(cause: unknown): boolean {
  const code = sqlState(cause);
  return code !== undefined && (code.startsWith('28') || code.startsWith('3D'));
}

const guarded = new WeakSet<pg.ClientBase | pg.Pool>();

/** A connection that dies while it is idle is dropped by its pool; without a listener it would end the process. */
export function guardPool(pool: pg.Pool): pg.Pool {
  if (!guarded.has(pool)) pool.on('error', () => undefined);
  guarded.add(pool);
  return pool;
}

/**
 * Runs the work on one connection of the pool. A connection that broke reports that to the statement that runs on it
 * and again as an `error` event, which without a listener would end the process. After a failure that may have left
 * the connection in the middle of something it is closed, not returned.
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
  if (!guarded.has(client)) {
    guarded.add(client);
    client.on('error', () => undefined);
  }
  let broken = true;
  try {
    const result = await work(client);
    broken = false;
    return result;
  } catch (error) {
    broken = classify(error) === 'unknown';
    throw error;
  } finally {
    client.release(broken);
  }
}

/** The pool may be somebody else's and know no limit. A connection that comes too late goes straight back to it. */
async function connectWithin(pool: pg.Pool, timeoutMs: number): Promise<pg.PoolClient> {
  const connecting = pool.connect();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`none was free or could be opened within ${timeoutMs} ms`));
      connecting.then((client) => client.release()).catch(() => undefined);
    }, timeoutMs);
  });
  try {
    return await Promise.race([connecting, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

export interface Statement {
  /** Unique for the text: each connection prepares it once under this name. */
  readonly name: string;
  readonly text: string;
}

/** Runs a prepared statement. Rejects when there is no answer within the time; the connection is then unusable. */
export async function query<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  statement: Statement,
  values: unknown[],
  timeoutMs: number,
): Promise<Row[]> {
  // pg reads `query_timeout` of a single query; its type declarations do not know that yet.
  const config: pg.QueryConfig & { query_timeout: number } = {
    ...statement,
    values,
    types: bigintTypes,
    query_timeout: timeoutMs,
  };
  return (await client.query<Row>(config)).rows;
}

/**
 * Runs a read, and runs it again after a passing failure until the deadline. It is told how long it may take at most.
 * @throws EventStoreUnavailable
 */
export async function retryRead<T>(
  deadlineMs: number,
  read: (leftMs: number) => Promise<T>,
  observer: EventStoreObserver = {},
): Promise<T> {
  const deadline = Date.now() + deadlineMs;
  for (let attempt = 0; ; attempt++) {
    try {
      return await read(Math.max(1, deadline - Date.now()));
    } catch (error) {
      const pause = backoffMs(attempt);
      if (classify(error) === 'refused' || Date.now() + pause >= deadline) throw unavailable(error);
      observer.retried?.('read', messageOf(error));
      await sleep(pause);
    }
  }
}

/** 25 ms, doubling up to about a second, with jitter so that many clients do not come back in step. */
export function backoffMs(attempt: number): number {
  return Math.min(1000, 25 * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2);
}

/** What the caller gets to see. Mistakes are passed on as they are. */
export function unavailable(cause: unknown): Error {
  if (isMistake(cause)) return cause;
  const hint = sqlState(cause) === '42P01' || sqlState(cause) === '3F000' ? ' (was it migrated?)' : '';
  return new EventStoreUnavailable(`The event store did not answer: ${messageOf(cause)}${hint}`, { cause });
}

/** A refused connection to a name with several addresses is an error without a message, but with a code. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name);
}
