import {
  DuplicateEventId,
  passes,
  type AppendOutcome,
  type AppendTogetherOutcome,
  type EventFilter,
  type EventMetadata,
  type ExpectedRevision,
  type RecordedEvent,
  type SubscriptionBatch,
} from '#event-store/event-store.js';
import { findReplays, type Append, type SerialisedEvent } from '#event-store/serialised-event.js';
import { startProcess, type Scheduler } from '../kernel/scheduler.js';

/** An event with its whole past. The same history has the same object, however often it was written. */
export interface Past {
  readonly followedBy: Map<string, Past>;
}

interface Place {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
}

/** A subscription that has read everything. */
interface Sleeper {
  readonly filter: EventFilter | undefined;
  wake: () => void;
}

/**
 * The log of a simulated event store: all its clients share it, and no crash of a client harms it. Commits are
 * instantaneous and in order, so no position below the head is ever filled later. Faults on the way to the log
 * and back belong to the clients.
 */
export class SimulatedLog {
  readonly identity = '00000000-0000-4000-8000-000000000001';
  /** The server outlives its clients, and calls on their way to it arrive. */
  server = startProcess('store');
  private readonly log: RecordedEvent[] = [];
  private readonly nothing: Past = { followedBy: new Map() };
  /** The past of each event of the log. */
  private readonly pasts: Past[] = [];
  private readonly streams = new Map<string, RecordedEvent[]>();
  private readonly places = new Map<string, Place>();
  private readonly sleepers = new Set<Sleeper>();
  /** Gets every event, in the step that commits it. */
  onCommitted: (event: RecordedEvent) => void = () => undefined;

  get events(): readonly RecordedEvent[] {
    return this.log;
  }

  /** 0 for an empty log; positions begin with 1. */
  get head(): bigint {
    return this.log.at(-1)?.position ?? 0n;
  }

  /**
   * Restores an older state on another server. The last events never happened, and calls on their way to the
   * old server are lost. Readers that wait at the end are woken.
   */
  restore(scheduler: Scheduler, events: number): void {
    scheduler.kill(this.server);
    this.server = startProcess('store');
    this.pasts.splice(Math.max(0, this.log.length - events));
    for (const { id, stream } of this.log.splice(Math.max(0, this.log.length - events))) {
      this.places.delete(id);
      const left = this.streams.get(stream)!;
      left.pop();
      if (left.length === 0) this.streams.delete(stream);
    }
    for (const { wake } of this.sleepers) wake();
  }

  /** Undefined: the log does not have this event at this place. */
  pastOf({ position, id }: { readonly position: bigint; readonly id: string }): Past | undefined {
    const index = this.indexAfter(position) - 1;
    const event = this.log[index];
    return event?.position === position && event.id === id ? this.pasts[index] : undefined;
  }

  streamOf(name: string): readonly RecordedEvent[] | undefined {
    return this.streams.get(name);
  }

  /** @throws DuplicateEventId, by the same rules as the adapters */
  append(stream: string, expected: ExpectedRevision, events: readonly SerialisedEvent[]): AppendOutcome {
    const outcome = this.appendTogether([{ stream, expected, events }]);
    if (outcome.outcome !== 'appended') return { outcome: outcome.outcome, actual: this.revisionOf(stream) };
    return { outcome: 'appended', ...outcome.writes[0]!, replayed: outcome.replayed };
  }

  /** Appends all of it in one step, or nothing. @throws DuplicateEventId, by the same rules as the adapters */
  appendTogether(writes: readonly Append[]): AppendTogetherOutcome {
    const appends = writes.filter(({ events }) => events.length > 0);
    const replays = findReplays(writes, this.places);
    if (replays) return replays;
    const wrong = writes.filter(
      ({ stream, expected }) => expected !== 'any' && expected !== this.revisionOf(stream),
    );
    for (const { stream, expected, events } of appends) {
      const taken = events.filter(({ id }) => this.places.has(id));
      if (taken.length === 0) continue;
      const after = typeof expected === 'bigint' ? expected : -1n;
      const overlaps = taken.some(({ id }) => {
        const place = this.places.get(id);
        return place?.stream === stream && place.revision > after;
      });
      if (overlaps || wrong.length === 0)
        throw new DuplicateEventId(
          `An append to ${stream} reuses ids of events that are in the log already: ${taken.map(({ id }) => id).join(', ')}`,
        );
    }
    if (wrong.length > 0)
      return { outcome: 'wrong-expected-revision', streams: wrong.map(({ stream }) => stream) };
    const places = writes.map(({ stream, events }) =>
      events.length === 0 ? undefined : this.commit(stream, this.streams.get(stream) ?? [], events),
    );
    return { outcome: 'appended', writes: places, replayed: false };
  }

  pageAfter(position: bigint, limit: number, filter: EventFilter | undefined): SubscriptionBatch {
    const events: RecordedEvent[] = [];
    const wanted = passes(filter);
    let reached = position;
    for (let index = this.indexAfter(position); index < this.log.length; index++) {
      const event = this.log[index]!;
      if (events.length === limit) return { events, position: reached, caughtUp: false };
      reached = event.position;
      if (wanted(event)) events.push(event);
    }
    return { events, position: reached, caughtUp: true };
  }

  /** Resolves in the step in which an event that passes the filter is appended, or when the signal aborts. */
  async beyond(position: bigint, signal: AbortSignal, filter?: EventFilter): Promise<void> {
    if (signal.aborted || this.pageAfter(position, 1, filter).events.length > 0) return;
    await new Promise<void>((resolve) => {
      const sleeper = { filter, wake: () => {} };
      sleeper.wake = () => {
        signal.removeEventListener('abort', sleeper.wake);
        this.sleepers.delete(sleeper);
        resolve();
      };
      signal.addEventListener('abort', sleeper.wake, { once: true });
      this.sleepers.add(sleeper);
    });
  }

  private commit(stream: string, known: RecordedEvent[], events: readonly SerialisedEvent[]) {
    // Leaves a gap before each append, so that code that relies on positions without gaps fails.
    let position = this.head + 1n;
    let revision = BigInt(known.length) - 1n;
    this.streams.set(stream, known);
    for (const { id, type, data, metadata } of events) {
      const place = { stream, revision: ++revision, position: ++position };
      const recorded = deepFreeze({
        id,
        type,
        data: JSON.parse(data) as unknown,
        metadata: JSON.parse(metadata) as EventMetadata,
        ...place,
      });
      known.push(recorded);
      this.log.push(recorded);
      const { followedBy } = this.pasts.at(-1) ?? this.nothing;
      const past = followedBy.get(id) ?? { followedBy: new Map<string, Past>() };
      followedBy.set(id, past);
      this.pasts.push(past);
      this.places.set(id, place);
      this.onCommitted(recorded);
    }
    const fresh = known.slice(-events.length);
    for (const { filter, wake } of this.sleepers) if (fresh.some(passes(filter))) wake();
    return { revision, position };
  }

  private revisionOf(stream: string): bigint | 'no-stream' {
    return this.streams.get(stream)?.at(-1)?.revision ?? 'no-stream';
  }

  /** Positions grow, so each step rules out half of the rest. */
  private indexAfter(position: bigint): number {
    let [low, high] = [0, this.log.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.log[middle]!.position > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Events never change: freezing them makes every edit fail at once. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
