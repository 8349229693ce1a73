import type { AppendOutcome, AppendTogetherOutcome, RecordedEvent } from './event-store.js';

/** How an append ended, as one word for a counter. `failed`: by any error. */
export type AppendResult = 'appended' | 'replayed' | 'wrong-expected-revision' | 'failed';

/**
 * Both adapters report to it, for counters and histograms. All methods are optional; none may throw. Times are
 * in milliseconds. A `reason` is a message for people. It can be any text, so do not use it as a label.
 */
export interface EventStoreObserver {
  /** An append ended; the time includes its retries. */
  appended?(durationMs: number, result: AppendResult): void;
  /** A call failed and is made again. */
  retried?(operation: 'append' | 'read', reason: string): void;
  /** An append was answered whose outcome had been unknown. */
  unknownOutcomeResolved?(): void;
  /** A subscription was taken up again after its last position. */
  resubscribed?(reason: string): void;
  /** A lost connection was replaced. */
  reconnected?(): void;
  /** This service did not save the snapshot that it found, so it folds the stream from its first event. */
  snapshotDropped?(): void;
  /** An event was read that nothing proves to be this service's. */
  unprovenEvent?(event: RecordedEvent): void;
}

/** Reports to the observer how long an append took and how it ended. */
export async function observeAppend<Outcome extends AppendOutcome | AppendTogetherOutcome>(
  observer: EventStoreObserver,
  append: () => Promise<Outcome>,
): Promise<Outcome> {
  const startedAt = performance.now();
  let result: AppendResult = 'failed';
  try {
    const outcome = await append();
    result = outcome.outcome === 'appended' && outcome.replayed ? 'replayed' : outcome.outcome;
    return outcome;
  } finally {
    observer.appended?.(performance.now() - startedAt, result);
  }
}
