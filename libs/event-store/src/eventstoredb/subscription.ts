import { setTimeout as sleep } from 'node:timers/promises';
import {
  EventStoreError,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionBatch,
} from '../event-store.js';
import type { Connection } from './connection.js';
import { backoffMs, classify, messageOf, NoAnswer, unavailable } from './failures.js';
import { Feed } from './feed.js';
import { readAll } from './read-all.js';
import { readTail } from './reads.js';

export const defaultBatchSize = 1000;
/** How long a batch waits for more while there is more, and how far apart batches are while events come all the time. */
const gatherMs = { past: 20, live: 5 };
/** Among events that are left out, the consumer hears this often how far the log has been looked through. */
const progressMs = 100;

export interface SubscriptionSource {
  readonly connection: Connection;
  /** How long a subscription without events is left alone before the log is asked how far it is. */
  readonly idleProbeMs: number;
}

/**
 * Catch-up, then live, for as long as the consumer wants. A feed that fails, ends or falls silent is replaced by one
 * after the last delivered position: the client does not do that by itself. Only the consumer knows when to give up.
 */
export async function* runSubscription(
  source: SubscriptionSource,
  { after, filter, batchSize = defaultBatchSize, signal }: SubscribeOptions,
): AsyncGenerator<SubscriptionBatch, void, void> {
  const { answerTimeoutMs, observer } = source.connection.options;
  let position = after ?? 0n;
  for (let failures = 0; !signal.aborted; failures++) {
    let feed: Feed | undefined;
    try {
      feed = await orAborted(open(source, position, filter), signal);
      if (feed === undefined) return;
      for await (const batch of batches(source, { feed, filter, batchSize, signal, answerTimeoutMs })) {
        failures = 0;
        position = batch.position;
        yield batch;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (classify(error) === 'refused') throw unavailable(error);
      observer.resubscribed?.(messageOf(error));
    } finally {
      feed?.close();
    }
    await sleep(backoffMs(failures), undefined, { signal }).catch(() => undefined);
  }
}

async function open(
  { connection }: SubscriptionSource,
  after: bigint,
  filter: SubscribeOptions['filter'],
): Promise<Feed> {
  const { answerTimeoutMs } = connection.options;
  return connection.call(async (client) => {
    const tail = await readTail(client, answerTimeoutMs);
    if (after > (tail ?? 0n))
      throw new EventStoreError(
        `The checkpoint ${after} lies beyond the end of the log (${tail ?? 0n}): this is not the log that it was made from`,
      );
    return new Feed(client, { after, filter, reached: tail });
  });
}

interface Batching extends Required<Pick<SubscribeOptions, 'batchSize' | 'signal'>> {
  readonly feed: Feed;
  readonly filter: SubscribeOptions['filter'];
  readonly answerTimeoutMs: number;
}

/** The batches of one feed. Returns when the signal fires, throws when the feed has failed. */
async function* batches(
  source: SubscriptionSource,
  batching: Batching,
): AsyncGenerator<SubscriptionBatch, void, void> {
  const { feed, batchSize, signal } = batching;
  let { position } = feed;
  let toldCaughtUp = false;
  let yieldedAt = -Infinity;
  while (!signal.aborted) {
    const events = await gather(batching, yieldedAt);
    if (signal.aborted) return;
    const caughtUp = feed.caughtUp && events.length < batchSize;
    const moved = feed.position > position && (caughtUp || performance.now() - yieldedAt >= progressMs);
    if (events.length > 0 || moved || (caughtUp && !toldCaughtUp)) {
      ({ position } = feed);
      toldCaughtUp = caughtUp;
      yieldedAt = performance.now();
      yield { events, position, caughtUp };
    } else if (feed.failure) throw feed.failure;
    else await waitForMore(source, batching);
  }
}

/** What has arrived, and what comes within a moment of it. */
async function gather({ feed, batchSize, signal }: Batching, yieldedAt: number): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  const startedAt = performance.now();
  for (;;) {
    for (let event = feed.read(); event; event = feed.read())
      if (events.push(event) === batchSize) return events;
    const until = feed.live ? yieldedAt + gatherMs.live : startedAt + gatherMs.past;
    const leftMs = until - performance.now();
    if (events.length === 0 || leftMs <= 0 || feed.failure || signal.aborted) return events;
    await feed.change(leftMs, signal);
  }
}

/**
 * A filtered consumer to whom nothing comes must still move on, and one to whom nothing comes because the server forgot
 * it must notice. So after a while without a sign the log is asked: where is its end, and is there anything between here
 * and there that should have come? Nothing: this is how far we are. Something: a last wait, then a new feed.
 */
async function waitForMore(source: SubscriptionSource, batching: Batching): Promise<void> {
  const { feed, filter, signal, answerTimeoutMs } = batching;
  if (await feed.change(feed.live ? source.idleProbeMs : answerTimeoutMs, signal)) return;
  if (!feed.live) throw new NoAnswer(`nothing within ${answerTimeoutMs} ms`);
  const { position } = feed;
  const probe = source.connection.call(async (client) => {
    const tail = await readTail(client, answerTimeoutMs);
    if (tail === undefined || tail <= position) return { missed: false, tail: position };
    const missed = await readAll(
      client,
      { after: position, limit: 1, ...(filter && { filter }) },
      answerTimeoutMs,
    );
    return { missed: missed.length > 0, tail };
  });
  const found = await orAborted(probe, signal);
  if (found === undefined) return;
  if (!found.missed) feed.pass(found.tail);
  else if (!(await feed.change(answerTimeoutMs, signal)) && feed.position === position)
    throw new NoAnswer('the subscription fell silent');
}

/** Leaves work that is on its way to itself when the subscription ends: its answer is of no more use. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
