import type { EventStore, RecordedEvent, SubscribeOptions } from '#event-store/event-store.js';
import { retryUntilAborted } from '#platform/retry.js';

const retryMs = 1_000;

export interface FollowOptions extends Required<Pick<SubscribeOptions, 'filter' | 'signal' | 'patienceMs'>> {
  /** Called when each later event will be told. */
  readonly onBegun?: () => void;
  /** Called when nothing is heard for the moment. It goes on by itself after the last event that was told. */
  readonly onFailure: (error: unknown) => void;
}

/** Tells what is appended from now on, in whichever process, until the signal aborts. */
export async function followFromNow(
  store: EventStore,
  { onBegun, onFailure, signal, ...options }: FollowOptions,
  hear: (events: readonly RecordedEvent[]) => void,
): Promise<void> {
  let after: bigint | undefined;
  const follow = async () => {
    if (after === undefined) {
      after = await store.head();
      onBegun?.();
    }
    const from = after === undefined ? {} : { after };
    const subscription = store.subscribe({ ...from, ...options, unprovenToo: true, signal });
    for await (const { events, position } of subscription) {
      // Before: what cannot be heard must not be heard again and again.
      after = position;
      // What this service did not write tells nothing, and must not keep anybody from hearing what it did.
      hear(events.filter(({ unproven }) => unproven === undefined));
    }
  };
  await retryUntilAborted(follow, {
    signal,
    firstPauseMs: retryMs,
    longestPauseMs: retryMs,
    onFailure,
  });
}
