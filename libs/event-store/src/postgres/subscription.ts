import { messageOf } from '#platform/errors.js';
import { pause, retryUntilAborted } from '#platform/retry.js';
import { defaultPatienceMs, orAborted, pauses, refuseBeyondEnd } from '../calls.js';
import type { SubscribeOptions, SubscriptionBatch } from '../event-store.js';
import type { EventStoreObserver } from '../observer.js';
import type { CommitSignal } from './commit-signal.js';
import { sqlMayPass, unavailableSql } from './connection.js';
import type { LogPage } from './read-queries.js';

export interface PageSource {
  readonly signal: CommitSignal;
  readonly observer: EventStoreObserver;
  /** One page after the position. May reject: the subscription tries again. */
  readPage(after: bigint): Promise<LogPage>;
}

/**
 * Catch-up, then live. Each round reads one page and hands it over; only when the consumer comes back is the next one
 * read, so a slow consumer costs one page of memory. At the end of the log it sleeps until the log grows.
 * A read that fails is tried again from the same place for as long as it takes: only the consumer knows when to give up.
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
