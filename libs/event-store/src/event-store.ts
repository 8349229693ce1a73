/**
 * The event store port. Two adapters implement it (`postgres/` and `eventstoredb/`). One conformance suite
 * checks that both behave as the comments here say. Revisions and positions are `bigint` everywhere.
 */

/** Facts about an event beside its data. Extra keys pass through unchanged. */
export interface EventMetadata {
  /** Correlation: the request, sweep or operator's command that caused the event. A ULID. */
  requestId: string;
  /** The id of the event or command that caused this one. */
  causationId: string;
  tenant: string;
  /** The actor: `key:{id}`, `worker:{id}`, `saga:{name}`, `operator`. Never a secret. */
  actor: string;
  schemaVersion: number;
  /** ISO 8601, UTC. */
  recordedAt: string;
  traceparent?: string;
  /**
   * Proves that a process with the key of this service wrote the event. The store sets it, and replaces a
   * value that the caller gives.
   */
  mac?: string;
  /** The encrypted personal words of the event. The store sets it, like the MAC. */
  sealed?: SealedWords;
}

/** Personal words of an event, as they are stored. */
export interface SealedWords {
  /** The id of the data key. */
  readonly key: string;
  /** In base64url: the words by their paths in the data, encrypted. */
  readonly words: string;
}

/** An event to append. `id` is a UUID; a retry of the same append uses the same id. `data` must be JSON. */
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
  /** Place in the whole log. Grows in commit order. Pass a position only to the store that returned it. */
  readonly position: bigint;
  /**
   * The reason why the event does not count as written by this service. Absent: this service wrote it. Only
   * readers that set `unprovenToo` get such events.
   */
  readonly unproven?: string;
  /**
   * The data as the store holds it, if `data` has decrypted words that it lacks. Digests, proofs and exports are over
   * what is stored.
   */
  readonly storedData?: unknown;
}

/**
 * The state that an append requires of its stream: the revision of its last event, or no stream at all.
 * `'any'` skips the check. It also gives up the durable idempotency, so never use it where money or jobs are
 * concerned.
 */
export type ExpectedRevision = bigint | 'no-stream' | 'any';

export type AppendOutcome =
  | {
      readonly outcome: 'appended';
      /** Revision and position of the last event of this append. */
      readonly revision: bigint;
      readonly position: bigint;
      /** True when the log already had these events: the append is a retry of one that succeeded. */
      readonly replayed: boolean;
    }
  | { readonly outcome: 'wrong-expected-revision'; readonly actual: bigint | 'no-stream' };

/**
 * One of several writes in one commit. A write without events is a guard: its stream must be at this
 * revision.
 */
export interface StreamWrite {
  readonly stream: string;
  readonly expectedRevision: ExpectedRevision;
  readonly events: readonly NewEvent[];
}

export type AppendTogetherOutcome =
  | {
      readonly outcome: 'appended';
      /**
       * Revision and position of the last event of each write, in the order of the writes; undefined for a
       * guard.
       */
      readonly writes: readonly ({ readonly revision: bigint; readonly position: bigint } | undefined)[];
      readonly replayed: boolean;
    }
  /** Nothing was written. Names the streams that are not at the expected revision. */
  | { readonly outcome: 'wrong-expected-revision'; readonly streams: readonly string[] };

export interface ReadStreamOptions {
  readonly direction?: 'forwards' | 'backwards';
  /** First revision to return, inclusive. Default: the first event, or the last when reading backwards. */
  readonly from?: bigint;
  /** Default and maximum: 4096 events a page. */
  readonly limit?: number;
  /**
   * Also returns events without proof that this service wrote them, marked as `unproven`. Default: the read
   * fails.
   */
  readonly unprovenToo?: boolean;
}

export type StreamSlice =
  | { readonly kind: 'found'; readonly events: readonly RecordedEvent[] }
  | { readonly kind: 'stream-not-found' };

/** Which events of the log to deliver. Absent: all. If both members are given, an event has to pass both. */
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
  /** See {@link ReadStreamOptions}. */
  readonly unprovenToo?: boolean;
}

export interface SubscribeOptions {
  /** Exclusive: the last position that was processed. Absent: from the beginning. */
  readonly after?: bigint;
  readonly filter?: EventFilter;
  /** The follower's name, for reports about subscriptions. */
  readonly consumer?: string;
  /** Upper bound of events in one batch. Default 1000. */
  readonly batchSize?: number;
  /**
   * How many milliseconds an event may wait for more events while commits come all the time. The first event
   * after a silence never waits. It is called anew every few milliseconds of a wait. Default 5: one read for several
   * commits costs far less than one read for each.
   */
  readonly patienceMs?: () => number;
  /** See {@link ReadStreamOptions}. */
  readonly unprovenToo?: boolean;
  /** Ends the subscription. The iterator then returns; it does not throw. */
  readonly signal: AbortSignal;
}

/** A subscription yields these. A batch without events only moves the checkpoint. */
export interface SubscriptionBatch {
  /** In position order. */
  readonly events: readonly RecordedEvent[];
  /** All events that pass the filter, up to and including this position, were delivered. */
  readonly position: bigint;
  /** True when this batch reached the end of the log. */
  readonly caughtUp: boolean;
}

export abstract class EventStore {
  /**
   * Appends all the events to one stream, or none. The store commits appends that wait at the same time
   * together. After a lost answer it sends the same ids again at the same expected revision, so the caller
   * need not.
   * @throws EventTooLarge, InvalidAppend, DuplicateEventId, EventStoreUnavailable (nothing was written),
   *   AppendOutcomeUnknown (the events may have been written: repeat the same call to find out)
   */
  abstract append(
    stream: string,
    expectedRevision: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendOutcome>;

  /**
   * Appends to several streams in one commit, or to none. Absent in a store that cannot do this. Each stream
   * occurs once. Otherwise like {@link append}.
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
   * The last event at or before a position, or of the whole log; undefined when there is none. Callers use
   * only its position and base no decision on its content, so its proof is not checked. @throws
   * EventStoreUnavailable
   */
  abstract lastEvent(through?: bigint): Promise<RecordedEvent | undefined>;

  /**
   * A name of this log alone: a copy has another name, a restored backup keeps it. The first call creates it.
   * The name is not an event of the log. @throws EventStoreUnavailable
   */
  abstract identity(): Promise<string>;

  /**
   * Delivers the past, then new events as they come. The consumer pulls, so events never pile up for a slow
   * one. After a lost connection the store reconnects by itself, with backoff, and continues after the last
   * delivered position. No event is missed, doubled or out of order.
   * @throws NotThisLog, UnprovenEvent
   */
  abstract subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionBatch>;

  abstract close(): Promise<void>;
}

/**
 * The largest event that is accepted: data and metadata together, as UTF-8 JSON. EventStoreDB's own default
 * limit is of this order.
 */
export const maxEventBytes = 1024 * 1024;

/**
 * The same store with some methods replaced. Wrappers that count, trace or disturb calls use it. A store that
 * lacks `appendTogether` does not get it.
 */
export function storeWith(
  store: EventStore,
  { appendTogether = store.appendTogether?.bind(store), ...methods }: Partial<EventStore>,
): EventStore {
  return {
    append: (...given) => store.append(...given),
    ...(store.appendTogether && appendTogether && { appendTogether }),
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

/** The store cannot be reached. The call that throws this wrote nothing. */
export class EventStoreUnavailable extends EventStoreError {}

/**
 * The store refused the call: it does not know the caller, forbids the call, or does not understand it.
 * Nothing was written.
 */
export class EventStoreRefused extends EventStoreUnavailable {}

/** In every attempt, another writer of the stream was faster. The call that throws this wrote nothing. */
export class StreamContended extends EventStoreUnavailable {
  constructor(stream: string, conflicts: number) {
    super(`Gave up on ${stream} after ${conflicts} conflicts in a row`);
  }
}

/** The append was sent but not answered. Repetitions within the deadline got no answer either. */
export class AppendOutcomeUnknown extends EventStoreError {}

/**
 * A position lies beyond the end of the log. It belongs to another log, or this log has lost its end since.
 */
export class NotThisLog extends EventStoreError {}

/**
 * An event of the service's streams has no valid MAC: this service did not write it, or the event was
 * changed.
 */
export class UnprovenEvent extends EventStoreError {
  constructor({ stream, revision, type, id, unproven }: RecordedEvent) {
    super(
      `${stream} holds an event that this service did not write: ${type} at revision ${revision} (${id}) ${unproven}`,
    );
  }
}

/** An event is larger than {@link maxEventBytes}. Nothing was written. */
export class EventTooLarge extends EventStoreError {}

/**
 * The arguments of an append are invalid: no events, an empty stream name, a malformed id, data that is not
 * JSON.
 */
export class InvalidAppend extends EventStoreError {}

/** One of the event ids already exists elsewhere in the log, or only some of the events exist. */
export class DuplicateEventId extends EventStoreError {}
