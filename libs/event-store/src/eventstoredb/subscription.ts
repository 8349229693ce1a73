import { messageOf } from '#platform/errors.js';
import {
  defaultBatchSize,
  askAgainMs,
  defaultPatienceMs,
  NoAnswer,
  orAborted,
  refuseBeyondEnd,
  retryForConsumer,
} from '../calls.js';
import type { RecordedEvent, SubscribeOptions, SubscriptionBatch } from '../event-store.js';
import type { Connection } from './connection.js';
import { classifyGrpcFailure } from './failures.js';
import { Feed } from './feed.js';
import { readAll, readTail } from './reads.js';

/** How long a batch waits for more while there is more. */
const gatherPastMs = 20;
/** While no event passes the filter, the consumer gets its new position at this interval. */
const progressMs = 100;

/**
 * Delivers the past, then new events, for as long as the consumer wants. If a feed fails, ends or falls
 * silent, another one replaces it after the last delivered position; the client does not do that itself.
 */
export async function* subscribeByFeed(
  connection: Connection,
  {
    after = 0n,
    filter,
    batchSize = defaultBatchSize,
    patienceMs = defaultPatienceMs,
    signal,
  }: SubscribeOptions,
): AsyncGenerator<SubscriptionBatch, void, void> {
  let position = after;
  let feed: Feed | undefined;
  let coming: AsyncGenerator<SubscriptionBatch, void, void> | undefined;
  const leaveFeed = () => {
    feed?.close();
    feed = coming = undefined;
  };
  const next = async (): Promise<SubscriptionBatch | undefined> => {
    if (coming === undefined) {
      const opening = connection.call(async (client) => {
        const tail = await readTail(client, connection.options.answerTimeoutMs);
        refuseBeyondEnd(position, tail ?? 0n);
        return new Feed(client, { after: position, filter, reached: tail });
      });
      feed = await orAborted(opening, signal);
      if (feed === undefined) {
        // If a feed opens too late, its consumer has left. Unless it is closed, the server keeps it as long
        // as this process lives.
        opening.then((late) => late.close()).catch(() => undefined);
        return undefined;
      }
      coming = batches(connection, { feed, filter, batchSize, patienceMs, signal });
    }
    const { value } = await coming.next();
    return value ?? undefined;
  };
  const onFailure = (error: unknown) => {
    leaveFeed();
    connection.options.observer.resubscribed?.(messageOf(error));
  };
  try {
    for (;;) {
      const batch = await retryForConsumer(next, classifyGrpcFailure, { signal, onFailure });
      if (batch === undefined) return;
      position = batch.position;
      yield batch;
    }
  } finally {
    leaveFeed();
  }
}

interface Batching extends Required<Pick<SubscribeOptions, 'batchSize' | 'patienceMs' | 'signal'>> {
  readonly feed: Feed;
  readonly filter: SubscribeOptions['filter'];
}

/** The batches of one feed. Returns when the signal fires, and throws when the feed has failed. */
async function* batches(
  connection: Connection,
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
    else await waitForMore(connection, batching);
  }
}

/** The events that have arrived, and the events that follow within a moment. */
async function gather(
  { feed, batchSize, patienceMs, signal }: Batching,
  yieldedAt: number,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  const startedAt = performance.now();
  for (;;) {
    for (let event = feed.read(); event; event = feed.read())
      if (events.push(event) === batchSize) return events;
    const until = feed.live ? yieldedAt + patienceMs() : startedAt + gatherPastMs;
    const leftMs = until - performance.now();
    if (events.length === 0 || leftMs <= 0 || feed.failure || signal.aborted) return events;
    await feed.changes.wait(Math.min(leftMs, askAgainMs), signal);
  }
}

/**
 * A consumer without events must still learn how far the log is, and must notice when the server has
 * forgotten it. So after a silence this reads the end of the log, and checks whether an event up to there is
 * missing. If not, the end becomes the consumer's position. If so, one last wait follows, and then a new
 * feed.
 */
async function waitForMore(connection: Connection, { feed, filter, signal }: Batching): Promise<void> {
  const { answerTimeoutMs, idleProbeMs } = connection.options;
  if (await feed.changes.wait(feed.live ? idleProbeMs : answerTimeoutMs, signal)) return;
  if (!feed.live) throw new NoAnswer(`nothing within ${answerTimeoutMs} ms`);
  const { position } = feed;
  const probe = connection.call(async (client) => {
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
  else if (!(await feed.changes.wait(answerTimeoutMs, signal)))
    throw new NoAnswer('the subscription fell silent');
}
