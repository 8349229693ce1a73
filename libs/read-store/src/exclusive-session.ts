import pg from 'pg';
import { defaults } from '#platform/configuration.js';
import type { Logger } from '#platform/logger.js';
import { bigintTypes } from '#platform/postgres.js';
import { pause, retryUntilAborted } from '#platform/retry.js';
import { asConsumerError, ConsumerHalted, FencedOff } from './consumer-errors.js';

export interface ExclusiveOptions {
  readonly url: string;
  /** Of all sessions with this name, in all processes, one works and the others wait. */
  readonly lock: string;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** PostgreSQL settings of the session, by name. */
  readonly settings?: Readonly<Record<string, string>>;
  /** How often a waiting session looks whether the lock is free. Default 1000. */
  readonly takeOverPollMs?: number | undefined;
  /** How often the active session shows that it lives. Default 1000. */
  readonly signOfLifeMs?: number | undefined;
  /** How long the active session may be silent before a waiting one ends it. Default 3000. */
  readonly silenceMs?: number | undefined;
}

/** Does the work until the signal aborts. The client is the very connection that holds the lock. */
export type ExclusiveWork = (client: pg.Client, signal: AbortSignal) => Promise<void>;

const firstPauseMs = 100;
const longestPauseMs = 5_000;
/** A session that worked this long was healthy, so the next failure begins a new series of retries. */
const healthyAfterMs = 10_000;
const farewellMs = 5_000;
/** What PostgreSQL needs to end a session. */
const goneWithinMs = 50;

/**
 * Runs work that may be active only once in the whole installation.
 *
 * - waiting: another session holds the advisory lock. Left when that session ends, however it ended; one that has
 *   fallen silent, because its process is paused or its machine has vanished, is ended from here.
 * - active: `work` runs on the connection that holds the lock, so a lost connection loses the lock with it. Left when
 *   the signal aborts (the call returns), when the connection is lost or the work throws (retried with backoff), or
 *   when the work throws ConsumerHalted (the call throws it). Being fenced off is no fault: a rebuild or an operator has
 *   changed what the work is about, and it is taken up again at once, from what is there now.
 *
 * The lock keeps two consumers from working at the same time; it cannot stop one that was paused and wakes up late.
 * Against that the work itself has to check an epoch in every transaction.
 *
 * @throws ConsumerHalted
 */
export async function runExclusively(options: ExclusiveOptions, work: ExclusiveWork): Promise<void> {
  const { signal, log, lock } = options;
  await retryUntilAborted(() => sessionsUntilFailure(options, work), {
    ...{ signal, firstPauseMs, longestPauseMs, healthyAfterMs },
    mayPass: (error) => !(error instanceof ConsumerHalted),
    onFailure: (err, retryMs) =>
      log.error({ err, lock, retryMs }, `${lock} was interrupted and will be taken up again`),
  });
}

/** Returns when the signal aborts. */
async function sessionsUntilFailure(options: ExclusiveOptions, work: ExclusiveWork): Promise<void> {
  const { signal, log, lock } = options;
  while (!signal.aborted) {
    try {
      await oneSession(options, work);
    } catch (thrown) {
      const error = asConsumerError(thrown);
      if (!(error instanceof FencedOff)) throw error;
      log.warn({ lock, because: error.message }, `${lock} was fenced off and starts again`);
      await pause(firstPauseMs, signal);
    }
  }
}

async function oneSession(options: ExclusiveOptions, work: ExclusiveWork): Promise<void> {
  const { lock, log } = options;
  const lost = new AbortController();
  const signal = AbortSignal.any([options.signal, lost.signal]);
  const client = sessionClient(options);
  client.on('error', (error) => lost.abort(error));
  client.on('end', () => lost.abort(new Error('the connection was closed')));
  await client.connect();
  try {
    if (!(await acquire(client, options, signal))) return;
    log.info({ lock }, `${lock} is active here`);
    using _life = showLife(client, options.signOfLifeMs ?? signOfLifeMs);
    await work(client, signal);
    if (lost.signal.aborted) throw lost.signal.reason;
  } finally {
    await close(client);
  }
}

/** A pipelined connection with the settings of a session, not yet connected. */
export function sessionClient({
  url,
  lock,
  settings,
}: Pick<ExclusiveOptions, 'url' | 'lock' | 'settings'>): pg.Client {
  // A host that vanishes sends no farewell; with these its lock is free after about ten seconds.
  const keepalives = { tcp_keepalives_idle: '4', tcp_keepalives_interval: '2', tcp_keepalives_count: '3' };
  const all = { ...keepalives, idle_in_transaction_session_timeout: '60000', ...settings };
  return new pg.Client({
    connectionString: url,
    application_name: lock,
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    query_timeout: 120_000,
    connectionTimeoutMillis: 10_000,
    options: Object.entries(all)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    types: bigintTypes,
  });
}

/** Says goodbye, but does not wait long for a server that no longer answers. */
export async function close(client: pg.Client): Promise<void> {
  const ended = new AbortController();
  const goodbye = client.end().finally(() => ended.abort());
  await Promise.race([goodbye, pause(farewellMs, ended.signal)]);
}

/** Polls instead of queueing: a backend that queues for a lock does not notice when its client is gone. */
async function acquire(client: pg.Client, options: ExclusiveOptions, signal: AbortSignal): Promise<boolean> {
  const { lock, log } = options;
  while (!signal.aborted) {
    if (await tryLock(client, lock)) return true;
    if (await endSilentHolder(client, lock, options.silenceMs ?? silenceMs)) {
      log.warn({ lock }, `the session that held ${lock} was silent and has been ended`);
      await pause(goneWithinMs, signal);
    } else await pause(options.takeOverPollMs ?? defaults.takeOverPollMs, signal);
  }
  return false;
}

/*
 * A process that is paused, or whose machine has vanished, may keep its connection open for hours, and with it the
 * advisory lock. So the holder shows that it lives, and a process that waits for the lock ends the session of a silent
 * holder: what that one had begun is rolled back. PostgreSQL itself remembers when a session last asked something.
 */

/** How often the holder of a lock asks something, if only to be heard. */
export const signOfLifeMs = 1_000;

/** A holder that is silent for this long is taken to be paused or gone. Three signs may get lost on a busy machine. */
export const silenceMs = 3_000;

/** Lets the session be heard until it is disposed of. */
function showLife(client: pg.Client, everyMs: number): Disposable {
  let unanswered = false;
  const timer = setInterval(() => {
    if (unanswered) return;
    unanswered = true;
    const answered = () => {
      unanswered = false;
    };
    // A connection that is lost says so itself, and in a transaction that has failed any question is refused.
    client.query('select 1').then(answered, answered);
  }, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * Ends the session that holds the lock if it has been silent. One that waits for an answer is not silent, however long
 * its query takes; one that does not fetch its answer is. Only sessions named after the lock are ended: an operator's
 * command may hold it for a while.
 * @returns whether one was ended. Its lock is free a moment later.
 */
async function endSilentHolder(client: pg.Client, lock: string, afterMs: number): Promise<boolean> {
  const { rows } = await client.query<{ ended: boolean }>(
    `select pg_terminate_backend(holder.pid) as ended
      from pg_locks held join pg_stat_activity holder on holder.pid = held.pid
      where held.locktype = 'advisory' and held.granted and held.objsubid = 1
        and held.database = (select oid from pg_database where datname = current_database())
        and (held.classid::bigint << 32 | held.objid::bigint) = hashtextextended($1, 0)
        and holder.application_name = left($1, 63)
        and (holder.state like 'idle%' or holder.wait_event_type = 'Client')
        and holder.state_change < clock_timestamp() - $2 * interval '1 millisecond'`,
    [lock, afterMs],
  );
  return rows.some(({ ended }) => ended);
}

/**
 * Sends the queries together and waits for all answers: one round trip on a pipelined connection. Throws what went
 * wrong first; when it is a transaction, the server has then rolled it back, commit included.
 */
export async function inOneRoundTrip(
  client: pg.Client,
  queries: readonly pg.QueryConfig[],
): Promise<pg.QueryResult[]> {
  const settled = await Promise.allSettled(queries.map((query) => client.query(query)));
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

export function inTransaction(
  client: pg.Client,
  queries: readonly pg.QueryConfig[],
): Promise<pg.QueryResult[]> {
  return inOneRoundTrip(client, [{ text: 'begin' }, ...queries, { text: 'commit' }]);
}

/** Runs the work in a transaction of its own, which is rolled back when it throws. */
export async function transact<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // When the connection is what failed, the server has rolled back by itself.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Takes a lock of that name for as long as the connection lives, unless another session has it. */
export async function tryLock(client: pg.ClientBase, lock: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
    [lock],
  );
  return rows[0]?.taken ?? false;
}
