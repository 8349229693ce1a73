import type { EventMacs } from './authentic/event-macs.js';
import {
  DuplicateEventId,
  EventTooLarge,
  InvalidAppend,
  maxEventBytes,
  type ExpectedRevision,
  type NewEvent,
  type StreamWrite,
  type AppendOutcome,
  type AppendTogetherOutcome,
} from './event-store.js';

/** The form in which all adapters send an event: checked, and serialised once. */
export interface SerialisedEvent {
  /** Lower case, so that it equals the id that a store returns. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
  /** Data and metadata as UTF-8. */
  readonly bytes: number;
}

export interface Append {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly SerialisedEvent[];
}

export const maxStreamNameLength = 512;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The same for several streams at once. @throws what {@link serialiseAppend} throws */
export function serialiseTogether(writes: readonly StreamWrite[], macs?: EventMacs): Append[] {
  const appends = writes.map(({ stream, expectedRevision: expected, events }) => {
    if (events.length > 0)
      return { stream, expected, events: serialiseAppend(stream, expected, events, macs) };
    checkTarget(stream, expected);
    return { stream, expected, events: [] };
  });
  if (appends.every(({ events }) => events.length === 0))
    throw new InvalidAppend('Writes that happen together need at least one event');
  if (new Set(appends.map(({ stream }) => stream)).size < appends.length)
    throw new InvalidAppend('Two writes that happen together name the same stream');
  const ids = appends.flatMap(({ events }) => events.map(({ id }) => id));
  if (new Set(ids).size < ids.length)
    throw new DuplicateEventId('Two events of writes that happen together have the same id');
  return appends;
}

/**
 * Checks the arguments of an append before it is sent, the same way for every adapter. If one store accepted
 * events that another refuses, a log could not be copied between them.
 * @param macs add the proof of the writer to each event's metadata; without them, events are sent unchanged
 * @throws InvalidAppend, EventTooLarge, DuplicateEventId
 */
export function serialiseAppend(
  stream: string,
  expectedRevision: ExpectedRevision,
  events: readonly NewEvent[],
  macs?: EventMacs,
): SerialisedEvent[] {
  checkTarget(stream, expectedRevision);
  if (events.length === 0) throw new InvalidAppend(`An append to ${stream} needs at least one event`);
  const first = expectedRevision === 'any' ? undefined : firstRevision(expectedRevision);
  const serialised = events.map((event, index) =>
    serialise(event, stream, first === undefined ? undefined : first + BigInt(index), macs),
  );
  if (new Set(serialised.map(({ id }) => id)).size < serialised.length)
    throw new DuplicateEventId(`Two events of one append to ${stream} have the same id`);
  return serialised;
}

function checkTarget(stream: string, expectedRevision: ExpectedRevision): void {
  checkName('stream name', stream);
  if (typeof expectedRevision === 'bigint' && expectedRevision < 0n)
    throw new InvalidAppend(`An expected revision is 0 or more, not ${expectedRevision}; see 'no-stream'`);
}

/** @param revision undefined: wherever the stream ends */
function serialise(
  event: NewEvent,
  stream: string,
  revision: bigint | undefined,
  macs: EventMacs | undefined,
): SerialisedEvent {
  if (!uuid.test(event.id)) throw new InvalidAppend(`The event id ${JSON.stringify(event.id)} is not a UUID`);
  checkName('event type', event.type);
  const id = event.id.toLowerCase();
  const data = toJson(event, 'data');
  const metadata = macs
    ? macs.withMac({
        stream,
        revision,
        id,
        type: event.type,
        data,
        metadata: toJson(bare(event), 'metadata'),
      })
    : toJson(event, 'metadata');
  const bytes = Buffer.byteLength(data) + Buffer.byteLength(metadata);
  if (bytes > maxEventBytes)
    throw new EventTooLarge(
      `The event ${event.id} (${event.type}) to ${stream} has ${bytes} bytes; the limit is ${maxEventBytes}`,
    );
  return { id, type: event.type, data, metadata, bytes };
}

/** Removes a MAC that came with a copied event, or with metadata taken from another event. */
function bare(event: NewEvent): NewEvent {
  // The declared type hides that metadata may be anything.
  if (event.metadata?.mac === undefined) return event;
  const { mac: _, ...metadata } = event.metadata;
  return { ...event, metadata };
}

function toJson(event: NewEvent, part: 'data' | 'metadata'): string {
  try {
    const json: unknown = JSON.stringify(event[part]);
    // Despite the declared type, `JSON.stringify` returns undefined for undefined, functions and symbols.
    if (typeof json === 'string') return json;
  } catch (error) {
    throw new InvalidAppend(
      `The ${part} of the event ${event.id} (${event.type}) is not JSON: ${String(error)}`,
    );
  }
  throw new InvalidAppend(`The ${part} of the event ${event.id} (${event.type}) is not JSON`);
}

/** Half a surrogate pair has no UTF-8 form. In the store, two different names would become the same one. */
function checkName(what: string, name: string): void {
  if (name === '') throw new InvalidAppend(`The ${what} is empty`);
  if (name.length > maxStreamNameLength)
    throw new InvalidAppend(`The ${what} has ${name.length} characters; the limit is ${maxStreamNameLength}`);
  if (name.includes('\0') || !name.isWellFormed())
    throw new InvalidAppend(`The ${what} ${JSON.stringify(name)} holds a character that cannot be stored`);
}

/** Where an event lies. */
export interface StoredPlace {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
}

/** Where events lie, by id in lower case. */
export type StoredPlaces = ReadonlyMap<string, StoredPlace>;

/** Where the events of an append begin in their stream. */
export function firstRevision(expected: bigint | 'no-stream'): bigint {
  return expected === 'no-stream' ? 0n : expected + 1n;
}

/**
 * The verdict on an append that the store refused. It needs the stream's revision, and the places beyond the
 * expected revision where events with the append's ids are.
 * - All of them are there, in order, at the revisions of the append: it repeats an append that succeeded.
 * - Only some of them are there, or in another order or place: two different appends share ids.
 * - None is there: the caller's state of the stream is old. The ids may lie further back. The caller finds them
 *   when it reads the stream again.
 */
export function judgeRefused(
  append: Append,
  actual: bigint | 'no-stream',
  places: StoredPlaces,
): AppendOutcome | DuplicateEventId {
  const replay = findReplay(append, places);
  if (replay) return replay;
  const { stream, expected, events } = append;
  const overlaps = events.some(({ id }) => {
    const place = places.get(id);
    return place?.stream === stream && expected !== 'any' && place.revision >= firstRevision(expected);
  });
  // No revision is wrong for 'any', so the store refused the append because of its ids.
  if (overlaps || expected === 'any') return duplicateIds([append]);
  return { outcome: 'wrong-expected-revision', actual };
}

/**
 * The outcome of the append if the given places show that it was made earlier, with all its events in order.
 */
export function findReplay(
  { stream, expected, events }: Append,
  places: StoredPlaces,
): Extract<AppendOutcome, { readonly outcome: 'appended' }> | undefined {
  const found = events.map(({ id }) => places.get(id));
  const [first, last] = [found[0], found.at(-1)];
  if (!first || !last) return undefined;
  const begins = expected === 'any' ? first.revision : firstRevision(expected);
  const inPlace = found.every(
    (place, index) => place?.stream === stream && place.revision === begins + BigInt(index),
  );
  if (!inPlace) return undefined;
  return { outcome: 'appended', revision: last.revision, position: last.position, replayed: true };
}

/** The same for all appends of a group that is made together. A guard has no events to find. */
export function findReplays(
  appends: readonly Append[],
  places: StoredPlaces,
): Extract<AppendTogetherOutcome, { readonly outcome: 'appended' }> | undefined {
  const writes = appends.map((append) => {
    const replay = append.events.length > 0 ? findReplay(append, places) : undefined;
    return replay && { revision: replay.revision, position: replay.position };
  });
  if (appends.some(({ events }, index) => events.length > 0 && !writes[index])) return undefined;
  return { outcome: 'appended', writes, replayed: true };
}

export function duplicateIds(appends: readonly Append[]): DuplicateEventId {
  const streams = appends.map(({ stream }) => stream).join(', ');
  const ids = appends.flatMap(({ events }) => events.map(({ id }) => id)).join(', ');
  return new DuplicateEventId(
    `An append to ${streams} reuses ids of events that are in the log already: ${ids}`,
  );
}
