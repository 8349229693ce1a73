import { hash } from 'node:crypto';
import { type EventStore, type RecordedEvent, EventStoreError } from './event-store.js';

export interface Walk {
  /** Exclusive. Absent: from the beginning. */
  readonly after?: bigint | undefined;
  /** The last position of the walk, inclusive. Absent: the log is empty, and so is the walk. */
  readonly through: bigint | undefined;
  readonly signal: AbortSignal;
  /** Includes events that lack proof of their writer. Default: such an event ends the walk with an error. */
  readonly unprovenToo?: boolean;
}

/** A part of the log. `position` is the position that the walk has reached after it. */
export interface Stretch {
  readonly events: readonly RecordedEvent[];
  readonly position: bigint;
}

/** Events that are planned and written together. */
const stretchEvents = 1000;

/**
 * Yields the log up to a position, in order. It reads a stretch while the caller works on the one before. It
 * uses a subscription and not pages, because a subscription limits its batches in bytes and reconnects by
 * itself.
 * @throws the signal's reason, UnprovenEvent
 */
export async function* walkLog(
  store: EventStore,
  { after, through, signal, unprovenToo = false }: Walk,
): AsyncGenerator<Stretch, void, void> {
  if (through === undefined || (after !== undefined && after >= through)) return;
  const left = new AbortController();
  const until = AbortSignal.any([signal, left.signal]);
  const options = { batchSize: stretchEvents, unprovenToo, signal: until };
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
        // A consumer that leaves during a stretch does not await the next one. A failure of that one must not
        // count as unhandled.
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

/** The number of events of one stream, counted from its first event, and their digest. */
export interface StreamDigest {
  readonly events: number;
  /** SHA-256, in hex, of the digest before the last event together with that event. */
  readonly sha256: string;
}

export interface LogFigures {
  readonly events: number;
  readonly streams: number;
  /** SHA-256, in hex, over the digests of all streams, by name. */
  readonly sha256: string;
}

export interface Difference {
  readonly stream: string;
  readonly sourceEvents: number;
  readonly targetEvents: number;
}

/**
 * The text of an event that is the same in every store. It holds all that a copy keeps, and nothing that
 * belongs to one store. Personal words are in it as they are stored, so it stays the same when they are erased.
 */
export function canonicalJson(event: RecordedEvent): string {
  const { stream, revision, id, type, data, storedData = data, metadata } = event;
  return JSON.stringify([stream, Number(revision), id.toLowerCase(), type, storedData, metadata]);
}

/** The digest of every stream of a log. Costs about 300 bytes of memory a stream. */
export class StreamDigests {
  private readonly streams = new Map<string, StreamDigest>();
  private events = 0;

  get size(): number {
    return this.streams.size;
  }

  of(stream: string): StreamDigest | undefined {
    return this.streams.get(stream);
  }

  /**
   * Adds the next event of its stream. An event that was already added changes nothing.
   * @throws CopyRefused when the events before it are missing
   */
  absorb(event: RecordedEvent, canonical: string): void {
    const { stream } = event;
    const revision = Number(event.revision);
    const known = this.streams.get(stream);
    const next = known?.events ?? 0;
    if (revision < next) return;
    if (revision > next)
      throw new CopyRefused(
        `${stream} lacks its revision ${next}: a stream that was truncated or deleted cannot be copied with its revisions`,
      );
    this.streams.set(stream, {
      events: revision + 1,
      sha256: hash('sha256', `${known?.sha256 ?? ''}${canonical}`),
    });
    this.events += 1;
  }

  /**
   * Two logs with the same figures hold the same streams. The order of the streams in the logs does not matter.
   */
  figures(): LogFigures {
    let sha256 = '';
    const byName = [...this.streams].sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [stream, { events, sha256: own }] of byName) {
      sha256 = hash('sha256', `${sha256}${JSON.stringify([stream, events, own])}`);
    }
    return { events: this.events, streams: this.streams.size, sha256 };
  }

  /** The streams that differ in the target, up to the limit. */
  differences(target: StreamDigests, limit: number): Difference[] {
    const found: Difference[] = [];
    for (const stream of new Set([...this.streams.keys(), ...target.streams.keys()])) {
      const ours = this.streams.get(stream);
      const theirs = target.streams.get(stream);
      if (ours?.sha256 === theirs?.sha256) continue;
      found.push({ stream, sourceEvents: ours?.events ?? 0, targetEvents: theirs?.events ?? 0 });
      if (found.length === limit) break;
    }
    return found;
  }

  streamNames(): IterableIterator<string> {
    return this.streams.keys();
  }
}

/** The copy ends here, because going on would damage a history. */
export class CopyRefused extends EventStoreError {}
