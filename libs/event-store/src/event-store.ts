/**
 * The event store port. Two adapters implement it (`postgres/` and `eventstoredb/`), and one conformance
 * suite holds both to these words. Revisions and positions are `bigint` everywhere above this line.
 */

/** What is known about an event beside its data. Extra keys pass through untouched. */
export interface EventMetadata {
  /** Correlation: the request (or sweep, or operator's command) that set this off. A ULID. */
  requestId: string;
  /** The id of the event or command that caused this one. */
  causationId: string;
  tenant: string;
  /** Who did it: `key:{id}`, `worker:{id}`, `saga:{name}`, `operator`. Never a secret. */
  actor: string;
  schemaVersion: number;
  /** ISO 8601, UTC. */
  recordedAt: string;
  traceparent?: string;
  /** Proves that a process with the key of this service wrote the event. The store adds it, in place of one that is given. */
  mac?: string;
}

/** An event to append. `id` is a UUID; a retry of the same append repeats it. `data` must be JSON. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

/** An event as the store gives it back. */
export interface RecordedEvent extends NewEvent {
  readonly stream: string;
  /** Place in its stream: 0, 1, 2 … without gaps. */
  readonly revision: bigint;
  /** Place in the whole log. Grows in commit order; only values that a store gave may be passed back to it. */
  readonly position: bigint;
  /** Why nothing shows that this service wrote the event; absent: it did. Only who asks for such events gets them. */
  readonly unproven?: string;
}

/**
 * What the stream must look like for an append to happen: the revision of its last event, or no stream at all.
 * `'any'` skips the check, and with it the durable idempotency: never use it where money or jobs are concerned.
 */
export type ExpectedRevision = bigint | 'no-stream' | 'any';

export type AppendOutcome =
  | {
      readonly outcome: 'appended';
      /** Revision and position of the last event of this append. */
      readonly revision: bigint;
      readonly position: bigint;
      /** True when these very events were there already: a retry that had succeeded before. */
      readonly replayed: boolean;
    }
  | { readonly outcome: 'wrong-expected-revision'; readonly actual: bigint | 'no-stream' };

/** One of several writes that happen together. Without events it is a guard: the stream has to be at this revision. */
export interface StreamWrite {
  readonly stream: string;
  readonly expectedRevision: ExpectedRevision;
  readonly events: readonly NewEvent[];
}

export type AppendTogetherOutcome =
  | {
      readonly outcome: 'appended';
      /** Revision and position of the last event of each write, in their order; undefined for a guard. */
      readonly writes: readonly ({ readonly revision: bigint; readonly position: bigint } | undefined)[];
      readonly replayed: boolean;
    }
  /** Nothing was written. The streams that are not at the expected revision. */
  | { readonly outcome: 'wrong-expected-revision'; readonly streams: readonly string[] };

export interface ReadStreamOptions {
  readonly direction?: 'forwards' | 'backwards';
  /** First revision to return, inclusive. Default: the first event, or the last when reading backwards. */
  readonly from?: bigint;
  /** Default and maximum: 4096 events a page. */
  readonly limit?: number;
  /** Gives events that nothing proves to be this service's as well, marked as `unproven`. Default: the read fails. */
  readonly unprovenToo?: boolean;
}

export type StreamSlice =
  | { readonly kind: 'found'; readonly events: readonly RecordedEvent[] }
  | { readonly kind: 'stream-not-found' };

/** Which events of the log to deliver. Absent: all. Both given: an event has to pass both. */
export interface EventFilter {
  readonly types?: readonly string[];
  readonly streamPrefixes?: readonly string[];
}

/** Says of each event whether it passes. */
export function passes({ types, streamPrefixes }: EventFilter = {}): (event: RecordedEvent) => boolean {
  const names = types && new Set(types);
  return ({ type, stream }) =>
    (names?.has(type) ?? true) && (streamPrefixes?.some((prefix) => stream.startsWith(prefix)) ?? true);
}

export interface ReadAllOptions {
  /** Exclusive. Absent: from the beginning. */
  readonly after?: bigint;
  readonly limit?: number;
  readonly filter?: EventFilter;
  /** As of {@link ReadStreamOptions}. */
  readonly unprovenToo?: boolean;
}

export interface SubscribeOptions {
  /** Exclusive: the last position that was processed. Absent: from the beginning. */
  readonly after?: bigint;
  readonly filter?: EventFilter;
  /** Who follows, for those who watch subscriptions. */
  readonly consumer?: string;
  /** Upper bound of events in one batch. Default 1000. */
  readonly batchSize?: number;
  /**
   * How many milliseconds events may wait for more while commits come all the time; the first after silence never waits.
   * Asked each time. Default 5: one read for what came meanwhile costs far less than one for each commit.
   */
  readonly patienceMs?: () => number;
  /** As of {@link ReadStreamOptions}. */
  readonly unprovenToo?: boolean;
  /** Ends the subscription. The iterator then returns; it does not throw. */
  readonly signal: AbortSignal;
}

/** What a subscription yields. A batch without events moves the checkpoint only. */
export interface SubscriptionBatch {
  /** In position order. */
  readonly events: readonly RecordedEvent[];
  /** Everything that passes the filter up to and including this position has now been delivered. */
  readonly position: bigint;
  /** True when the log's end had been reached when this batch was read. */
  readonly caughtUp: boolean;
}

export abstract class EventStore {
  /**
   * Appends all the events to one stream, or none. Appends that wait at the same time are committed together.
   * A lost answer is resolved inside: the same ids are sent again at the same expected revision.
   * @throws EventTooLarge, InvalidAppend, DuplicateEventId, EventStoreUnavailable (nothing was written),
   *   AppendOutcomeUnknown (it may have been: repeat the very same call to find out)
   */
  abstract append(
    stream: string,
    expectedRevision: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendOutcome>;

  /**
   * Appends to several streams at once, or to none: what a store can do in one commit. Absent where it cannot.
   * A stream occurs once. Otherwise as {@link append}.
   * @throws what {@link append} throws
   */
  appendTogether?(writes: readonly StreamWrite[]): Promise<AppendTogetherOutcome>;

  /** @throws EventStoreUnavailable, UnprovenEvent */
  abstract readStream(stream: string, options?: ReadStreamOptions): Promise<StreamSlice>;

  /** One page of the log, in position order. @throws EventStoreUnavailable, UnprovenEvent */
  abstract readAll(options?: ReadAllOptions): Promise<readonly RecordedEvent[]>;

  /** Position of the last event of the log, or undefined when it is empty. @throws EventStoreUnavailable */
  abstract head(): Promise<bigint | undefined>;

  /**
   * The last event at or before a position, or of the whole log; undefined when there is none. It tells where the log is:
   * nothing is decided by its content, so it is given as it stands. @throws EventStoreUnavailable
   */
  abstract lastEvent(through?: bigint): Promise<RecordedEvent | undefined>;

  /**
   * Names this log and no other: a copy has a name of its own, a backup that is restored keeps it. Given at the first
   * call, and no event of the log. @throws EventStoreUnavailable
   */
  abstract identity(): Promise<string>;

  /**
   * Catch-up, then live. The consumer pulls, so a slow one is never overrun; a lost connection is taken up
   * again by itself, with backoff, after the last delivered position: no event missed, doubled or out of order.
   * @throws NotThisLog, UnprovenEvent
   */
  abstract subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionBatch>;

  abstract close(): Promise<void>;
}

/** The largest event that is accepted, data and metadata together as UTF-8 JSON. EventStoreDB's own default limit is of this order. */
export const maxEventBytes = 1024 * 1024;

/** The same store with other methods in place of some: for what counts, traces or disturbs the calls. */
export function storeWith(store: EventStore, methods: Partial<EventStore>): EventStore {
  const appendTogether = store.appendTogether?.bind(store);
  return {
    append: (...given) => store.append(...given),
    ...(appendTogether && { appendTogether }),
    readStream: (...given) => store.readStream(...given),
    readAll: (...given) => store.readAll(...given),
    head: () => store.head(),
    lastEvent: (through) => store.lastEvent(through),
    identity: () => store.identity(),
    subscribe: (options) => store.subscribe(options),
    close: () => store.close(),
    ...methods,
  };
}

export class EventStoreError extends Error {
  override readonly name: string = this.constructor.name;
}

/** The store cannot be reached. Nothing was written by the call that throws this. */
export class EventStoreUnavailable extends EventStoreError {}

/** The store answered, and the answer is no: it does not know the caller, allow the call, or understand it. Nothing was written. */
export class EventStoreRefused extends EventStoreUnavailable {}

/** Other writers of the stream were faster, every time. Nothing was written by the call that throws this. */
export class StreamContended extends EventStoreUnavailable {
  constructor(stream: string, conflicts: number) {
    super(`Gave up on ${stream} after ${conflicts} conflicts in a row`);
  }
}

/** The append was sent but never answered, and asking again did not help within the deadline. */
export class AppendOutcomeUnknown extends EventStoreError {}

/** A position lies where the log does not reach: it was given by another log, or by this one before it lost its end. */
export class NotThisLog extends EventStoreError {}

/** An event of the service's streams carries no valid MAC: this service did not write it, or not like this. */
export class UnprovenEvent extends EventStoreError {
  constructor({ stream, revision, type, id, unproven }: RecordedEvent) {
    super(
      `${stream} holds an event that this service did not write: ${type} at revision ${revision} (${id}) ${unproven}`,
    );
  }
}

/** An event is larger than {@link maxEventBytes}. Nothing was written. */
export class EventTooLarge extends EventStoreError {}

/** The arguments of an append make no sense: no events, an empty stream name, a malformed id, data that is not JSON. */
export class InvalidAppend extends EventStoreError {}

/** One of the event ids exists already elsewhere in the log, or only a part of the events does. */
export class DuplicateEventId extends EventStoreError {}
