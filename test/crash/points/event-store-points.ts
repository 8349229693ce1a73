import { inspect } from 'node:util';
import pg from 'pg';
import { categoryPrefix, environments, parseStreamName } from '#domain/streams.js';
import type {
  AppendOutcome,
  AppendTogetherOutcome,
  EventStore,
  NewEvent,
  SubscribeOptions,
  SubscriptionBatch,
} from '#event-store/event-store.js';
import { SharedSubscriptions } from '#event-store/shared-subscriptions.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { callSite, type Recorder } from './recorder.js';

/** Ids of events whose append must lose its answer. */
const losing = new Set<string>();

/** Makes every call of the event store in this process a crash point, wherever the store was opened. */
export function recordEventStore(recorder: Recorder, onDelivery: (consumer: string) => void): void {
  const { role } = recorder;
  const store: EventStore = PostgresEventStore.prototype;
  const { append, appendTogether, readStream, readAll, head } = store;

  /** @param site the place in the code that appends */
  const through = <Outcome extends AppendOutcome | AppendTogetherOutcome>(
    site: string,
    events: readonly NewEvent[],
    carryOut: () => Promise<Outcome>,
  ) => {
    const types = [...new Set(events.map(({ type }) => type))];
    const points = types.map((type) => `${role}:event-store.append:${type}@${site}`);
    return recorder.through(points, async (passage) => {
      const [first] = events;
      if (passage.loseAnswer && first) losing.add(first.id);
      const outcome = await carryOut();
      if (!passage.loseAnswer || !first) return outcome;
      const isLost = !losing.delete(first.id);
      // The answer says that another writer was faster, so the next try is the one that loses its answer.
      if (!isLost && outcome.outcome === 'wrong-expected-revision') recorder.takeBack();
      else if (isLost && outcome.outcome === 'appended' && outcome.replayed)
        recorder.note('resolved', points);
      else recorder.note(`not resolved: ${inspect(outcome)}`, points);
      return outcome;
    });
  };
  store.append = function (this: EventStore, stream, expected, events) {
    return through(callSite(), events, () => append.call(this, stream, expected, events));
  };
  store.appendTogether = function (this: EventStore, writes) {
    const events = writes.flatMap((write) => write.events);
    return through(callSite(), events, () => appendTogether!.call(this, writes));
  };
  store.readStream = function (this: EventStore, stream, options) {
    const category = parseStreamName(stream)?.category ?? stream;
    // This read of the key belongs to the authentication itself.
    if (category === 'key') return readStream.call(this, stream, options);
    const site = callSite();
    // A process manager checks its predecessor's place before it does anything with its batch. Whether a job
    // lacks a task at two checks in a row depends on timing, so no scenario is sure to pass that read.
    if (site === 'stream-continuity' || site === 'stranded-jobs')
      return readStream.call(this, stream, options);
    const points = [`${role}:event-store.read:${category}@${site}`];
    return recorder.through(points, () => readStream.call(this, stream, options));
  };
  store.readAll = function (this: EventStore, options) {
    const points = [`${role}:event-store.read-all@${callSite()}`];
    return recorder.through(points, () => readAll.call(this, options));
  };
  store.head = function (this: EventStore) {
    const site = callSite();
    // Only the first dispatch with a key reads the head in an API process. It has done nothing before, and few
    // runs pass it.
    // Housekeeping looks for things whose time is over from time to time, so no scenario is sure to pass that.
    if (site === 'dispatch-workflow.handler' || site === 'reached-reads') return head.call(this);
    return recorder.through([`${role}:event-store.head@${site}`], () => head.call(this));
  };
  // Consumers get their batches from subscriptions that this process shares. One subscription to the store
  // fills each of them.
  const { subscribe } = SharedSubscriptions.prototype;
  SharedSubscriptions.prototype.subscribe = function (this: SharedSubscriptions, options: SubscribeOptions) {
    const batches = subscribe.call(this, options);
    const consumer = consumerOf(options);
    if (consumer === undefined) return batches;
    return recorded(recorder, consumer, batches, () => onDelivery(consumer));
  };
  breakConnections(recorder);
}

async function* recorded(
  recorder: Recorder,
  consumer: string,
  batches: AsyncIterable<SubscriptionBatch>,
  onDelivery: () => void,
): AsyncGenerator<SubscriptionBatch, void, void> {
  const iterator = batches[Symbol.asyncIterator]();
  const points = [`${recorder.role}:event-store.subscription@${consumer}`];
  const brings = ({ done, value }: IteratorResult<SubscriptionBatch>) => !done && value.events.length > 0;
  try {
    for (;;) {
      const next = await recorder.through(points, () => iterator.next(), brings);
      if (next.done) return;
      if (brings(next)) onDelivery();
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/**
 * Names a consumer by the events that it listens to. Undefined: it listens to no jobs, or to the other
 * environment.
 */
function consumerOf({ consumer, filter }: SubscribeOptions): string | undefined {
  const { types, streamPrefixes } = filter ?? {};
  if (streamPrefixes?.every((prefix) => prefix.startsWith('live.'))) return undefined;
  if (consumer !== undefined) return consumer;
  if (isOfAllReleases(streamPrefixes)) return 'known-releases';
  if (types === undefined) return 'projections';
  // Changes of keys and plans: no job waits for these.
  if (types.includes('ApiKeyRevoked')) return undefined;
  if (types.length === 1 && types[0] === 'JobCancelled') return 'cancellations';
  return types.includes('StageCompleted') ? 'job-watch' : types.join('+');
}

/** The read models follow one environment, the memory of releases follows both. */
function isOfAllReleases(streamPrefixes: readonly string[] = []): boolean {
  return environments.every((environment) => streamPrefixes.includes(categoryPrefix(environment, 'release')));
}

/**
 * Loses the answer to an append as in the field: the statement runs and is committed, and the connection ends
 * instead of returning the result. The adapter must handle the rest. A refused append has nothing to lose.
 */
function breakConnections(recorder: Recorder): void {
  const { query } = pg.Client.prototype;
  type Query = (this: pg.Client, ...args: unknown[]) => Promise<pg.QueryResult> | undefined;
  const losingQuery: Query = function (this: pg.Client, ...args) {
    const [config] = args as [{ name?: string; values?: unknown[] } | undefined];
    // Types do not show which overload of pg is called, so the arguments are passed on unchanged.
    const ask = (...asked: unknown[]) => (query as Query).apply(this, asked);
    const sent = ask(...args);
    const carried = [...losing].filter(
      (id) => config?.name === 'event_store.append' && carries(config.values, id),
    );
    if (carried.length === 0 || !sent) return sent;
    return sent.then(async (answer) => {
      const found = await ask('select id from event_store.events where id = any($1::uuid[])', [carried]);
      // The column is named by the statement.
      const lost = found?.rows.map(({ id }) => id as string) ?? [];
      if (lost.length === 0) return answer;
      for (const id of lost) losing.delete(id);
      recorder.note('lost', lost);
      const { stream } = (this as unknown as { connection: { stream: { destroy(): void } } }).connection;
      stream.destroy();
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
    });
  };
  pg.Client.prototype.query = losingQuery as typeof query;
}

/** The ids of a batch travel as one binary array. */
function carries(values: unknown[] | undefined, eventId: string): boolean {
  const bytes = Buffer.from(eventId.replaceAll('-', ''), 'hex');
  return (values ?? []).some((value) => Buffer.isBuffer(value) && value.includes(bytes));
}
