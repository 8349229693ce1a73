import pg from 'pg';
import type { Logger } from '#platform/logger.js';
import { bigintTypes } from '#platform/postgres.js';
import { pause, retryUntilAborted } from '#platform/retry.js';
import { CommitQueue } from './commit-queue.js';
import { asConsumerError, ConsumerHalted, FencedOff } from './consumer-errors.js';
import { waitingChannel } from './read-pace.js';

/** A paused projector is ended after 3 s of silence. With this interval, another one replaces it within 5 s. */
export const usualTakeOverPollMs = 1_000;

/** A consumer of the log that may be active only once in the whole installation. */
export interface Task {
  /** The advisory lock that it works under. */
  readonly lock: string;
  /**
   * Works until the signal aborts, and commits through the queue. It is called again after a failure. @throws
   * ConsumerHalted
   */
  run(commits: CommitQueue, signal: AbortSignal): Promise<void>;
}

export interface TaskOptions {
  /** The read store's database. */
  readonly url: string;
  /** The lock of the first one names the session. */
  readonly tasks: readonly Task[];
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Called when a read waits for rows, in any process. */
  readonly onReadWaits?: (() => void) | undefined;
  /** How often a waiting task checks whether its lock is free. Default 1000. */
  readonly takeOverPollMs?: number | undefined;
  /** How often the session shows that it lives. Default 1000. */
  readonly signOfLifeMs?: number | undefined;
  /**
   * How long the holder of a lock may be silent before a waiting task ends the holder's session. Default 3000.
   */
  readonly silenceMs?: number | undefined;
}

const firstPauseMs = 100;
const longestPauseMs = 1_500;
/** A session that worked for this long was healthy, so the next failure begins a new series of retries. */
const healthyAfterMs = 10_000;
const farewellMs = 5_000;
/** How long PostgreSQL needs to end a session. */
const goneWithinMs = 50;

/**
 * Runs tasks on one connection, which holds their locks and commits their work. Each task is
 *
 * - waiting: another session holds its advisory lock. Left when that session ends, however it ends. If it has
 *   fallen silent, because its process is paused or its machine has vanished, this session ends it.
 * - active: it holds its lock. Left when the signal aborts, or when the connection is lost or the task throws
 *   (both are retried with backoff). A lost connection loses all locks. To be fenced off is no failure: a
 *   rebuild or an operator has changed the task's data, and the task starts again at once from its new state.
 * - halted: it threw ConsumerHalted. Its lock is free for another process, and the other tasks go on.
 *
 * The lock prevents that two consumers work at the same time. It cannot stop a paused consumer that wakes up
 * late. So a task must check an epoch in every transaction.
 *
 * Resolves when the signal has aborted and the current work is committed. @throws ConsumerHalted when all tasks
 * have halted
 */
export async function runTasks(options: TaskOptions): Promise<void> {
  const locks = options.tasks.map(({ lock }) => lock);
  const halted = new Map<Task, unknown>();
  await takenUpAgain({ ...options, locks }, () => oneSession(options, halted));
}

/** Repeats the work until the signal aborts. @throws ConsumerHalted */
async function takenUpAgain(
  { signal, log, locks }: Pick<TaskOptions, 'signal' | 'log'> & { readonly locks: readonly string[] },
  work: () => Promise<void>,
): Promise<void> {
  const untilFailure = async () => {
    while (!signal.aborted) {
      try {
        await work();
      } catch (thrown) {
        const error = asConsumerError(thrown);
        if (!(error instanceof FencedOff)) throw error;
        for (const lock of locks)
          log.warn({ lock, because: error.message }, `${lock} was fenced off and starts again`);
        await pause(firstPauseMs, signal);
      }
    }
  };
  await retryUntilAborted(untilFailure, {
    signal,
    firstPauseMs,
    longestPauseMs,
    healthyAfterMs,
    mayPass: (error) => !(error instanceof ConsumerHalted),
    onFailure: (err, retryMs) => {
      for (const lock of locks)
        log.error({ err, lock, retryMs }, `${lock} was interrupted and will be taken up again`);
    },
  });
}

async function oneSession(options: TaskOptions, halted: Map<Task, unknown>): Promise<void> {
  const { url, tasks } = options;
  const lost = new AbortController();
  const signal = AbortSignal.any([options.signal, lost.signal]);
  // A session without tasks is not begun.
  const name = tasks[0]!.lock;
  const client = sessionClient(url, name);
  client.on('error', (error) => lost.abort(error));
  client.on('end', () => lost.abort(new Error('the connection was closed')));
  await client.connect();
  try {
    if (options.onReadWaits) {
      client.on('notification', options.onReadWaits);
      await client.query(`listen ${waitingChannel}`);
    }
    using _life = showLife(client, options.signOfLifeMs ?? signOfLifeMs);
    const commits = new CommitQueue(client);
    const work = async (task: Task) => {
      try {
        await takeOn(task, commits, name, { ...options, signal });
      } catch (error) {
        halted.set(task, error);
      }
    };
    await Promise.all(tasks.filter((task) => !halted.has(task)).map(work));
    if (lost.signal.aborted) throw lost.signal.reason;
    // All of them have, so the first one has.
    if (halted.size === tasks.length) throw halted.get(tasks[0]!);
  } finally {
    await close(client);
  }
}

/** Works on the task once its lock is free, until the signal aborts. @throws ConsumerHalted */
async function takeOn(
  task: Task,
  commits: CommitQueue,
  session: string,
  options: TaskOptions,
): Promise<void> {
  const { lock } = task;
  const { signal, log } = options;
  let held = false;
  try {
    await takenUpAgain({ locks: [lock], signal, log }, async () => {
      held ||= await acquire(commits, lock, session, options);
      if (!held) return;
      log.info({ lock }, `${lock} is active here`);
      await task.run(commits, signal);
    });
  } catch (error) {
    const unlock = 'select pg_advisory_unlock(hashtextextended($1, 0))';
    await commits.alone((client) => client.query(unlock, [lock])).catch(() => undefined);
    throw error;
  }
}

const sessionSettings = {
  // A host that vanishes does not close its connection. With these settings its lock is free after about ten
  // seconds.
  tcp_keepalives_idle: '4',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  idle_in_transaction_session_timeout: '60000',
  // Commits do not wait for the disk. If a crash of the server undoes work, the work is repeated from the log:
  // each transaction holds rows or tasks together with their checkpoint. When a worker fetches a task, that
  // commit is durable, and so makes all earlier commits durable.
  synchronous_commit: 'off',
  // Statements may be planned while a table is still empty, and would keep that plan.
  enable_seqscan: 'off',
};

/** A pipelined connection with the settings of a session. It is not connected yet. */
export function sessionClient(url: string, name: string): pg.Client {
  return new pg.Client({
    connectionString: url,
    application_name: name,
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    query_timeout: 120_000,
    connectionTimeoutMillis: 10_000,
    options: Object.entries(sessionSettings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    types: bigintTypes,
  });
}

/** Closes the connection in order, but does not wait long for a server that no longer answers. */
export async function close(client: pg.Client): Promise<void> {
  const ended = new AbortController();
  const goodbye = client.end().finally(() => ended.abort());
  await Promise.race([goodbye, pause(farewellMs, ended.signal)]);
}

/**
 * Polls instead of queueing, because a backend that queues for a lock does not notice when its client is gone.
 */
async function acquire(
  commits: CommitQueue,
  lock: string,
  session: string,
  { signal, log, silenceMs: afterMs = silenceMs, takeOverPollMs }: TaskOptions,
): Promise<boolean> {
  while (!signal.aborted) {
    if (await commits.alone((client) => tryLock(client, lock))) return true;
    if (await commits.alone((client) => endSilentHolder(client, lock, session, afterMs))) {
      log.warn({ lock }, `the session that held ${lock} was silent and has been ended`);
      await pause(goneWithinMs, signal);
    } else await pause(takeOverPollMs ?? usualTakeOverPollMs, signal);
  }
  return false;
}

/**
 * How often the holder of a lock sends a query only to show that it lives: docs/adr/0010-take-over-by-lease.md.
 */
export const signOfLifeMs = 1_000;

/**
 * A holder that is silent for this long counts as paused or gone. A busy machine may lose three signs of life.
 */
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
    // An error counts as an answer too: a lost connection is reported elsewhere, and a failed transaction
    // refuses every query.
    client.query('select 1').then(answered, answered);
  }, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * Ends the session that holds the lock if it has been silent. A session that waits for an answer is not silent,
 * however long its query takes. A session that does not read its answer is silent. Only sessions with the name
 * of the lock or of this session are ended, because an operator's command may also hold the lock for a while.
 * @returns whether one was ended. Its lock is free a moment later.
 */
async function endSilentHolder(
  client: pg.Client,
  lock: string,
  session: string,
  afterMs: number,
): Promise<boolean> {
  const { rows } = await client.query<{ ended: boolean }>(
    `select pg_terminate_backend(holder.pid) as ended
      from pg_locks held join pg_stat_activity holder on holder.pid = held.pid
      where held.locktype = 'advisory' and held.granted and held.objsubid = 1
        and held.database = (select oid from pg_database where datname = current_database())
        and (held.classid::bigint << 32 | held.objid::bigint) = hashtextextended($1, 0)
        and holder.application_name in (left($1, 63), left($3, 63))
        and (holder.state like 'idle%' or holder.wait_event_type = 'Client')
        and holder.state_change < clock_timestamp() - $2 * interval '1 millisecond'`,
    [lock, afterMs, session],
  );
  return rows.some(({ ended }) => ended);
}

/** Takes the lock of that name for as long as the connection lives, unless another session has it. */
export async function tryLock(client: pg.ClientBase, lock: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
    [lock],
  );
  return rows[0]?.taken ?? false;
}
