import type { EventStore, RecordedEvent } from '../event-store.js';

export interface Walk {
  /** Exclusive. Absent: from the beginning. */
  readonly after?: bigint | undefined;
  /** Inclusive: where to stop. Absent: the log is empty, and so is the walk. */
  readonly through: bigint | undefined;
  readonly signal: AbortSignal;
}

/** A part of the log; `position` is how far the walk has come with it. */
export interface Stretch {
  readonly events: readonly RecordedEvent[];
  readonly position: bigint;
}

/** Events that are planned and written together. */
const stretchEvents = 1000;

/**
 * The log up to a position, in order, each stretch read while the one before is being worked on. A subscription and not
 * pages, because its batches are bounded in bytes, and a lost connection is taken up again by itself.
 * @throws the signal's reason
 */
export async function* walkLog(
  store: EventStore,
  { after, through, signal }: Walk,
): AsyncGenerator<Stretch, void, void> {
  if (through === undefined || (after !== undefined && after >= through)) return;
  const left = new AbortController();
  const options = { batchSize: stretchEvents, signal: AbortSignal.any([signal, left.signal]) };
  const subscription = store.subscribe(after === undefined ? options : { ...options, after });
  const batches = subscription[Symbol.asyncIterator]();
  try {
    for (let coming = batches.next(); ;) {
      const { done, value: batch } = await coming;
      signal.throwIfAborted();
      if (done) return;
      const isLast = batch.caughtUp || batch.position >= through;
      if (!isLast) {
        coming = batches.next();
        // Whoever leaves in the middle of a stretch does not wait for the next one.
        coming.catch(() => undefined);
      }
      const events = isLast ? batch.events.filter(({ position }) => position <= through) : batch.events;
      yield { events, position: isLast ? through : batch.position };
      if (isLast) return;
    }
  } finally {
    left.abort();
    await batches.return?.();
  }
}
