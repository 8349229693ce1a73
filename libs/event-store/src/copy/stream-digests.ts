import { hash } from 'node:crypto';
import type { RecordedEvent } from '../event-store.js';
import { CopyRefused } from './copy-refused.js';

/** What is known of one stream: so many events from its first one on, and what they are. */
export interface StreamDigest {
  readonly events: number;
  /** SHA-256, in hex, of the digest before the last event and that event. */
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

/** An event as it is compared between stores: everything that has to survive, and nothing that is a store's own. */
export function canonicalJson({ stream, revision, id, type, data, metadata }: RecordedEvent): string {
  return JSON.stringify([stream, Number(revision), id.toLowerCase(), type, data, metadata]);
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
   * Takes the next event of its stream in; one that it knows already changes nothing.
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

  /** Two logs with the same figures hold the same streams, whatever the order in which these lie in them. */
  figures(): LogFigures {
    let sha256 = '';
    for (const stream of [...this.streams.keys()].sort()) {
      const { events, sha256: own } = this.streams.get(stream)!;
      sha256 = hash('sha256', `${sha256}${JSON.stringify([stream, events, own])}`);
    }
    return { events: this.events, streams: this.streams.size, sha256 };
  }

  /** The streams that are not the same in the target, at most so many of them. */
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
