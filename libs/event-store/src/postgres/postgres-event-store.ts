import pg from 'pg';
import { messageOf } from '#platform/errors.js';
import { surviveItsEnd } from '#platform/postgres.js';
import type { EventMacs } from '../authentic/event-macs.js';
import {
  defaultBatchSize,
  defaultPatienceMs,
  letGather,
  orAborted,
  refuseBeyondEnd,
  retryForConsumer,
  retryRead,
  type AdapterOptions,
  type CallLimits,
} from '../calls.js';
import {
  EventStoreUnavailable,
  type AppendOutcome,
  type AppendTogetherOutcome,
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type StreamSlice,
  type StreamWrite,
  type SubscribeOptions,
  type SubscriptionBatch,
} from '../event-store.js';
import { observeAppend } from '../observer.js';
import { serialiseAppend, serialiseTogether } from '../serialised-event.js';
import { AppendQueue } from './append-queue.js';
import { CommitSignal } from './commit-signal.js';
import { classifySqlFailure, withQueries, type Query } from './connection.js';
import {
  readAll,
  readHead,
  readIdentity,
  readLast,
  readPage,
  readStream,
  type LogPage,
} from './read-queries.js';

export interface PostgresEventStoreOptions extends AdapterOptions {
  /** Made by {@link createEventStorePool}. The caller ends it after the store. */
  readonly pool: pg.Pool;
}

/** PostgreSQL's largest. */
const lastPosition = 2n ** 63n - 1n;

/** A pool that survives its server and names itself in `pg_stat_activity`. */
export function createEventStorePool(url: string, maxConnections = 8): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    application_name: 'atelier-event-store',
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  });
  // The pool drops a connection that breaks while it is idle. Without this listener the error would end the
  // process.
  return pool.on('error', () => undefined).on('connect', surviveItsEnd);
}

/** The event store in PostgreSQL. Opens no connection before the first call. Run `migrateEventStore` before. */
export class PostgresEventStore implements EventStore {
  private readonly pool: pg.Pool;
  private readonly limits: CallLimits;
  private readonly macs: EventMacs | undefined;
  private readonly queue: AppendQueue;
  private readonly commits: CommitSignal;
  private readonly closing = new AbortController();

  constructor({
    pool,
    deadlineMs = 10_000,
    answerTimeoutMs = 5000,
    observer = {},
    macs,
  }: PostgresEventStoreOptions) {
    this.pool = pool;
    this.limits = { deadlineMs, answerTimeoutMs, observer };
    this.macs = macs;
    // The pool hides its password from enumeration, so a copy of its options has to set it by name.
    const { password } = pool.options;
    const listener = { ...pool.options, ...(password === undefined ? {} : { password }) };
    this.commits = new CommitSignal(listener, observer);
    const onAppended = (head: bigint) => this.commits.announce(head);
    this.queue = new AppendQueue({ pool, ...this.limits, onAppended });
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendOutcome> {
    this.refuseWhenClosed();
    const append = { stream, expected, events: serialiseAppend(stream, expected, events, this.macs) };
    return observeAppend(this.limits.observer, () => this.queue.append(append));
  }

  async appendTogether(writes: readonly StreamWrite[]): Promise<AppendTogetherOutcome> {
    this.refuseWhenClosed();
    const appends = serialiseTogether(writes, this.macs);
    return observeAppend(this.limits.observer, () => this.queue.appendTogether(appends));
  }

  readStream(stream: string, options: ReadStreamOptions = {}): Promise<StreamSlice> {
    return this.read((query) => readStream(query, stream, options));
  }

  readAll(options: ReadAllOptions = {}): Promise<readonly RecordedEvent[]> {
    return this.read((query) => readAll(query, options));
  }

  async head(): Promise<bigint | undefined> {
    return (await this.read(readHead)) || undefined;
  }

  lastEvent(through = lastPosition): Promise<RecordedEvent | undefined> {
    return this.read((query) => readLast(query, through));
  }

  identity(): Promise<string> {
    return this.read(readIdentity);
  }

  /**
   * Each round reads one page and hands it over. The next page is read only when the consumer comes back, so a
   * slow consumer costs one page of memory. At the end of the log it sleeps until the log grows.
   */
  async *subscribe({
    after = 0n,
    filter,
    batchSize = defaultBatchSize,
    patienceMs = defaultPatienceMs,
    signal: left,
  }: SubscribeOptions): AsyncGenerator<SubscriptionBatch, void, void> {
    const signal = AbortSignal.any([left, this.closing.signal]);
    const unregister = this.commits.register();
    let position = after;
    let toldCaughtUp = false;
    const next = (query: Query) => readPage(query, position, batchSize, filter);
    try {
      while (!signal.aborted) {
        const readAt = performance.now();
        const page = await this.readUntilAnswered(next, signal);
        if (page === undefined || signal.aborted) return;
        refuseBeyondEnd(position, page.head);
        if (page.position > position || (page.caughtUp && !toldCaughtUp)) {
          position = page.position;
          toldCaughtUp = page.caughtUp;
          yield { events: page.events, position, caughtUp: page.caughtUp };
        }
        if (!page.caughtUp) continue;
        await this.commits.beyond(position, signal);
        await letGather(readAt, patienceMs, signal);
      }
    } finally {
      unregister();
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all([this.queue.idle(), this.commits.close()]);
  }

  private async read<T>(work: (query: Query) => Promise<T>): Promise<T> {
    this.refuseWhenClosed();
    return retryRead((timeoutMs) => withQueries(this.pool, timeoutMs, work), classifySqlFailure, this.limits);
  }

  private async readUntilAnswered(
    read: (query: Query) => Promise<LogPage>,
    signal: AbortSignal,
  ): Promise<LogPage | undefined> {
    const { answerTimeoutMs, observer } = this.limits;
    let failure: unknown;
    const page = await retryForConsumer(
      () => orAborted(withQueries(this.pool, answerTimeoutMs, read), signal),
      classifySqlFailure,
      { signal, onFailure: (error) => (failure = error) },
    );
    if (page && failure !== undefined) observer.resubscribed?.(messageOf(failure));
    return page;
  }

  private refuseWhenClosed(): void {
    if (this.closing.signal.aborted) throw new EventStoreUnavailable('The event store was closed');
  }
}
