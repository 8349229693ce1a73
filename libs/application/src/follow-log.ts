import type { EventStore, RecordedEvent, SubscribeOptions } from '#event-store/event-store.js';
import { retryUntilAborted } from '#platform/retry.js';

const retryMs = 1_000;

interface FollowOptions extends Required<Pick<SubscribeOptions, 'filter' | 'signal' | 'patienceMs'>> {
  /** Called once every later event will reach `hear`. */
  readonly onBegun?: () => void;
  /** Called when the subscription fails. It is retried and continues after the last event that was heard. */
  readonly onFailure: (error: unknown) => void;
}

/** Passes on each event that any process appends from now on, until the signal aborts. */
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
      // Set before `hear`: an event that makes it throw must not come again and again.
      after = position;
      // Events that this service did not write are left out; they must not block those that it did.
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
