import { EventEmitter } from 'node:events';

export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface StoredEvent extends ProposedEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  /** .NET ticks (100 ns) since 1970, as the protocol has it. */
  readonly createdTicks: bigint;
}

export type Expected = bigint | 'no-stream' | 'any' | 'stream-exists';

export type AppendVerdict =
  | { readonly kind: 'written' | 'idempotent'; readonly last: StoredEvent }
  | { readonly kind: 'wrong-expected-version'; readonly actual: bigint | 'no-stream' };

/**
 * The log of the peer, in memory, with the rules of EventStoreDB's index writer. An append at a revision that
 * the stream has passed is idempotent if the same ids lie there, and refused otherwise. At the head no ids are
 * compared. For 'any' only a cache of recent ids is.
 */
export class PeerLog {
  readonly events: StoredEvent[] = [];
  private readonly streams = new Map<string, StoredEvent[]>();
  private readonly recent = new Map<string, StoredEvent>();
  private readonly growth = new EventEmitter().setMaxListeners(0);
  private end = 0n;

  constructor() {
    // A real log is never empty: the server's own events come first.
    this.write('$settings', [{ ...emptyEvent, id: crypto.randomUUID(), type: '$settings' }]);
  }

  append(stream: string, expected: Expected, events: readonly ProposedEvent[]): AppendVerdict {
    const written = this.streams.get(stream) ?? [];
    const current = BigInt(written.length) - 1n;
    const wrong = { kind: 'wrong-expected-version', actual: current < 0n ? 'no-stream' : current } as const;
    if (expected === 'any' || expected === 'stream-exists') {
      const known = events
        .map(({ id }) => this.recent.get(id))
        .map((event) => event?.stream === stream && event);
      if (known.every(Boolean)) return { kind: 'idempotent', last: known.at(-1) as StoredEvent };
      if (known[0] || (expected === 'stream-exists' && current < 0n)) return wrong;
    } else {
      const at = expected === 'no-stream' ? -1n : expected;
      if (at > current) return wrong;
      if (at < current) {
        const there = written.slice(Number(at) + 1, Number(at) + 1 + events.length);
        const same = there.length === events.length && there.every(({ id }, n) => id === events[n]!.id);
        return same ? { kind: 'idempotent', last: there.at(-1)! } : wrong;
      }
    }
    return { kind: 'written', last: this.write(stream, events) };
  }

  /** A restored backup: the log as it is now, in another server. */
  copy(): PeerLog {
    const copy = new PeerLog();
    copy.events.splice(0, Infinity, ...this.events);
    copy.streams.clear();
    for (const [name, events] of this.streams) copy.streams.set(name, [...events]);
    copy.end = this.end;
    return copy;
  }

  /** Forgets recent ids, as a restart of the server does: appends at 'any' are no longer protected. */
  forgetRecent(): void {
    this.recent.clear();
  }

  /** The events of a stream, or undefined when there is none. */
  stream(name: string): readonly StoredEvent[] | undefined {
    return this.streams.get(name);
  }

  /** The first place in `events` that lies after the position. */
  indexAfter(position: bigint): number {
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.events[middle]!.position <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  onGrowth(listener: () => void): () => void {
    this.growth.on('grown', listener);
    return () => this.growth.off('grown', listener);
  }

  private write(stream: string, events: readonly ProposedEvent[]): StoredEvent {
    const written = this.streams.get(stream) ?? [];
    this.streams.set(stream, written);
    for (const event of events) {
      const stored = {
        ...event,
        stream,
        revision: BigInt(written.length),
        position: this.end,
        createdTicks: BigInt(Date.now()) * 10_000n,
      };
      // A position is a byte offset, as in the real log.
      this.end += BigInt(100 + event.data.length + event.metadata.length);
      written.push(stored);
      this.events.push(stored);
      this.recent.set(event.id, stored);
    }
    this.growth.emit('grown');
    return this.events.at(-1)!;
  }
}

const emptyEvent = { contentType: 'application/json', data: Buffer.from('{}'), metadata: Buffer.from('{}') };
