import pg from 'pg';
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
import { defaultBatchSize, defaultPatienceMs, orAborted, pauses, refuseBeyondEnd } from '../calls.js';
import type { EventMacs } from '../authentic/event-macs.js';
import { observeAppend, type EventStoreObserver } from '../observer.js';
import { serialiseAppend, serialiseTogether } from '../serialised-event.js';
import { AppendQueue } from './append-queue.js';
import { CommitSignal } from './commit-signal.js';
import { guardPool, onClient, readRetrying, sqlMayPass, unavailableSql } from './connection.js';
import { ReadQueries, type LogPage } from './read-queries.js';
import { defaultSchema, quoteSchema } from './schema.js';
import { messageOf } from '#platform/errors.js';
import { pause, retryUntilAborted } from '#platform/retry.js';

export interface PostgresEventStoreOptions {
  /**
   * Where the log is: an address, for which the store makes its own pool, or a pool that the caller owns and
   * ends.
   */
  readonly connection:
    { readonly url: string; readonly maxConnections?: number } | { readonly pool: pg.Pool };
  /** Default `event_store`. `migrateEventStore` must have been run on it. */
  readonly schema?: string;
  /** How long one call is retried in all before it throws. Default 10,000 ms. */
  readonly deadlineMs?: number;
  /** How long one answer may take before the connection counts as lost. Default 5,000 ms. */
  readonly answerTimeoutMs?: number;
  readonly observer?: EventStoreObserver;
  /** Adds proof of the writer to each appended event. `markingUnproven` checks the events that are read. */
  readonly macs?: EventMacs | undefined;
}

/** PostgreSQL's largest. */
const lastPosition = 2n ** 63n - 1n;

const applicationName = 'atelier-event-store';

/** The event store in a PostgreSQL schema. Opens no connection before the first call. */
export function createPostgresEventStore(options: PostgresEventStoreOptions): EventStore {
  return new PostgresEventStore(options);
}

/** A pool that survives its server and names itself in `pg_stat_activity`. */
export function createEventStorePool(url: string, maxConnections = 8): pg.Pool {
  return guardPool(
    new pg.Pool({
      connectionString: url,
      max: maxConnections,
      application_name: applicationName,
      connectionTimeoutMillis: 5000,
      keepAlive: true,
    }),
  );
}

class PostgresEventStore implements EventStore {
  private readonly pool: pg.Pool;
  private readonly ownsPool: boolean;
  private readonly deadlineMs: number;
  private readonly answerTimeoutMs: number;
  private readonly observer: EventStoreObserver;
  private readonly macs: EventMacs | undefined;
  private readonly queue: AppendQueue;
  private readonly reads: ReadQueries;
  private readonly commits: CommitSignal;
  private readonly closing = new AbortController();

  constructor({
    connection,
    schema = defaultSchema,
    deadlineMs = 10_000,
    answerTimeoutMs = 5000,
    observer = {},
    macs,
  }: PostgresEventStoreOptions) {
    quoteSchema(schema);
    this.ownsPool = 'url' in connection;
    this.pool =
      'url' in connection
        ? createEventStorePool(connection.url, connection.maxConnections)
        : guardPool(connection.pool);
    this.deadlineMs = deadlineMs;
    this.answerTimeoutMs = answerTimeoutMs;
    this.observer = observer;
    this.macs = macs;
    this.reads = new ReadQueries(schema);
    // The pool hides its password from enumeration, so a copy of its options has to set it by name.
    const { password } = this.pool.options;
    const listener = {
      ...this.pool.options,
      ...(password === undefined ? {} : { password }),
      application_name: applicationName,
      connectionTimeoutMillis: 5000,
      keepAlive: true,
    };
    this.commits = new CommitSignal(listener, schema, observer);
    const onAppended = (head: bigint) => this.commits.announce(head);
    const limits = { deadlineMs, answerTimeoutMs };
    this.queue = new AppendQueue({ pool: this.pool, schema, ...limits, onAppended, observer });
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendOutcome> {
    this.refuseWhenClosed();
    const append = { stream, expected, events: serialiseAppend(stream, expected, events, this.macs) };
    return observeAppend(this.observer, () => this.queue.append(append));
  }

  async appendTogether(writes: readonly StreamWrite[]): Promise<AppendTogetherOutcome> {
    this.refuseWhenClosed();
    const appends = serialiseTogether(writes, this.macs);
    return observeAppend(this.observer, () => this.queue.appendTogether(appends));
  }

  readStream(stream: string, options: ReadStreamOptions = {}): Promise<StreamSlice> {
    return this.read((client, timeoutMs) => this.reads.stream(client, stream, options, timeoutMs));
  }

  readAll(options: ReadAllOptions = {}): Promise<readonly RecordedEvent[]> {
    return this.read((client, timeoutMs) => this.reads.all(client, options, timeoutMs));
  }

  async head(): Promise<bigint | undefined> {
    const head = await this.read((client, timeoutMs) => this.reads.head(client, timeoutMs));
    return head === 0n ? undefined : head;
  }

  lastEvent(through = lastPosition): Promise<RecordedEvent | undefined> {
    return this.read((client, timeoutMs) => this.reads.last(client, through, timeoutMs));
  }

  identity(): Promise<string> {
    return this.read((client, timeoutMs) => this.reads.identity(client, timeoutMs));
  }

  subscribe({
    after,
    filter,
    batchSize = defaultBatchSize,
    signal,
    patienceMs,
  }: SubscribeOptions): AsyncIterable<SubscriptionBatch> {
    const readPage = (from: bigint) =>
      onClient(this.pool, (client) => this.reads.page(client, from, batchSize, filter, this.answerTimeoutMs));
    const start = {
      ...(after === undefined ? {} : { after }),
      ...(patienceMs && { patienceMs }),
      signal: AbortSignal.any([signal, this.closing.signal]),
    };
    return subscribeByPages({ signal: this.commits, readPage, observer: this.observer }, start);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all([this.queue.idle(), this.commits.close()]);
    if (this.ownsPool && !this.pool.ending) await this.pool.end();
  }

  private async read<T>(work: (client: pg.PoolClient, timeoutMs: number) => Promise<T>): Promise<T> {
    this.refuseWhenClosed();
    const attempt = (leftMs: number) => {
      const timeoutMs = Math.min(leftMs, this.answerTimeoutMs);
      return onClient(this.pool, (client) => work(client, timeoutMs), timeoutMs);
    };
    return readRetrying(attempt, this.deadlineMs, this.observer);
  }

  private refuseWhenClosed(): void {
    if (this.closing.signal.aborted) throw new EventStoreUnavailable('The event store was closed');
  }
}

export interface PageSource {
  readonly signal: CommitSignal;
  readonly observer: EventStoreObserver;
  /** One page after the position. May reject: the subscription tries again. */
  readPage(after: bigint): Promise<LogPage>;
}

/**
 * Delivers the past, then new events as they come. Each round reads one page and hands it over. The next page
 * is read only when the consumer comes back, so a slow consumer costs one page of memory. At the end of the log
 * it sleeps until the log grows. It retries a failed read from the same place without limit, because only the
 * consumer decides when to give up.
 */
export async function* subscribeByPages(
  source: PageSource,
  {
    after = 0n,
    signal,
    patienceMs = defaultPatienceMs,
  }: Pick<SubscribeOptions, 'after' | 'signal' | 'patienceMs'>,
): AsyncGenerator<SubscriptionBatch, void, void> {
  const unregister = source.signal.register();
  let position = after;
  let toldCaughtUp = false;
  try {
    while (!signal.aborted) {
      const readAt = performance.now();
      const page = await readUntilAnswered(source, position, signal);
      if (page === undefined || signal.aborted) return;
      refuseBeyondEnd(position, page.head);
      if (page.position > position || (page.caughtUp && !toldCaughtUp)) {
        position = page.position;
        toldCaughtUp = page.caughtUp;
        yield { events: page.events, position, caughtUp: page.caughtUp };
      }
      if (!page.caughtUp) continue;
      await source.signal.beyond(position, signal);
      const early = patienceMs() - (performance.now() - readAt);
      if (early > 0) await pause(early, signal);
    }
  } finally {
    unregister();
  }
}

async function readUntilAnswered(
  { readPage, observer }: PageSource,
  after: bigint,
  signal: AbortSignal,
): Promise<LogPage | undefined> {
  let failure: unknown;
  const page = await retryUntilAborted(() => orAborted(readPage(after), signal), {
    ...pauses,
    signal,
    mayPass: sqlMayPass,
    onFailure: (error) => (failure = error),
  }).catch((error: unknown) => {
    throw unavailableSql(error);
  });
  if (page && failure !== undefined) observer.resubscribed?.(messageOf(failure));
  return page;
}
