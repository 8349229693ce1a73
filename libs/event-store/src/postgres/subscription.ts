import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreError, type SubscribeOptions, type SubscriptionBatch } from '../event-store.js';
import type { EventStoreObserver } from '../observer.js';
import type { CommitSignal } from './commit-signal.js';
import { backoffMs, classify, messageOf, unavailable } from './connection.js';
import type { Page } from './read-queries.js';

export const defaultBatchSize = 1000;

/** While the log grows all the time, one read for what came in 5 ms costs far less than one read for each commit. */
const minReadIntervalMs = 5;

export interface SubscriptionSource {
  readonly signal: CommitSignal;
  readonly observer: EventStoreObserver;
  /** One page after the position. May reject: the subscription tries again. */
  readPage(after: bigint): Promise<Page>;
}

/**
 * Catch-up, then live. Each round reads one page and hands it over; only when the consumer comes back is the next one
 * read, so a slow consumer costs one page of memory. At the end of the log it sleeps until the log grows.
 * A read that fails is tried again from the same place for as long as it takes: only the consumer knows when to give up.
 */
export async function* runSubscription(
  source: SubscriptionSource,
  { after = 0n, signal }: Pick<SubscribeOptions, 'after' | 'signal'>,
): AsyncGenerator<SubscriptionBatch, void, void> {
  const unregister = source.signal.register();
  let position = after;
  let toldCaughtUp = false;
  try {
    while (!signal.aborted) {
      const readAt = performance.now();
      const page = await readUntilAnswered(source, position, signal);
      if (page === undefined || signal.aborted) return;
      if (page.head < position)
        throw new EventStoreError(
          `The checkpoint ${position} lies beyond the end of the log (${page.head}): this is not the log that it was made from`,
        );
      if (page.position > position || (page.caughtUp && !toldCaughtUp)) {
        position = page.position;
        toldCaughtUp = page.caughtUp;
        yield { events: page.events, position, caughtUp: page.caughtUp };
      }
      if (!page.caughtUp) continue;
      await source.signal.beyond(position, signal);
      const early = minReadIntervalMs - (performance.now() - readAt);
      if (early > 0) await sleep(early, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    unregister();
  }
}

async function readUntilAnswered(
  source: SubscriptionSource,
  after: bigint,
  signal: AbortSignal,
): Promise<Page | undefined> {
  let lastFailure: unknown;
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const page = await orAborted(source.readPage(after), signal);
      if (page && failures > 0) source.observer.resubscribed?.(messageOf(lastFailure));
      return page;
    } catch (error) {
      if (classify(error) === 'refused') throw unavailable(error);
      lastFailure = error;
      await sleep(backoffMs(failures), undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}

/** Leaves a read that is on its way to itself when the subscription ends: its answer is of no more use. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
