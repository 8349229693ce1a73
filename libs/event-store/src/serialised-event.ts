import {
  DuplicateEventId,
  EventTooLarge,
  InvalidAppend,
  maxEventBytes,
  type ExpectedRevision,
  type NewEvent,
  type StreamWrite,
} from './event-store.js';

/** An event as any adapter sends it: checked, and its JSON made once. */
export interface SerialisedEvent {
  /** Lower case, so that it compares equal with what a store gives back. */
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
export function serialiseTogether(writes: readonly StreamWrite[]): Append[] {
  const appends = writes.map(({ stream, expectedRevision: expected, events }) => {
    if (events.length > 0) return { stream, expected, events: serialiseAppend(stream, expected, events) };
    checkTarget(stream, expected);
    return { stream, expected, events: [] };
  });
  if (appends.every(({ events }) => events.length === 0))
    throw new InvalidAppend('Writes that happen together need at least one event');
  if (new Set(appends.map(({ stream }) => stream)).size < appends.length)
    throw new InvalidAppend('Of writes that happen together, two name the same stream');
  const ids = appends.flatMap(({ events }) => events.map(({ id }) => id));
  if (new Set(ids).size < ids.length)
    throw new DuplicateEventId('Of writes that happen together, two events have the same id');
  return appends;
}

/**
 * Checks the arguments of an append before anything is sent, the same way for every adapter: what one store takes
 * and another refuses could not move between them.
 * @throws InvalidAppend, EventTooLarge, DuplicateEventId
 */
export function serialiseAppend(
  stream: string,
  expectedRevision: ExpectedRevision,
  events: readonly NewEvent[],
): SerialisedEvent[] {
  checkTarget(stream, expectedRevision);
  if (events.length === 0) throw new InvalidAppend(`An append to ${stream} needs at least one event`);
  const serialised = events.map((event) => serialise(stream, event));
  if (new Set(serialised.map(({ id }) => id)).size < serialised.length)
    throw new DuplicateEventId(`Two events of one append to ${stream} have the same id`);
  return serialised;
}

function checkTarget(stream: string, expectedRevision: ExpectedRevision): void {
  checkName('stream name', stream);
  if (typeof expectedRevision === 'bigint' && expectedRevision < 0n)
    throw new InvalidAppend(`An expected revision is 0 or more, not ${expectedRevision}; see 'no-stream'`);
}

function serialise(stream: string, event: NewEvent): SerialisedEvent {
  if (!uuid.test(event.id)) throw new InvalidAppend(`The event id ${JSON.stringify(event.id)} is not a UUID`);
  checkName('event type', event.type);
  const data = toJson(event, 'data');
  const metadata = toJson(event, 'metadata');
  const bytes = Buffer.byteLength(data) + Buffer.byteLength(metadata);
  if (bytes > maxEventBytes)
    throw new EventTooLarge(
      `The event ${event.id} (${event.type}) to ${stream} has ${bytes} bytes; the limit is ${maxEventBytes}`,
    );
  return { id: event.id.toLowerCase(), type: event.type, data, metadata, bytes };
}

function toJson(event: NewEvent, part: 'data' | 'metadata'): string {
  try {
    const json: unknown = JSON.stringify(event[part]);
    // The declared type hides that undefined, a function and a symbol have no JSON.
    if (typeof json === 'string') return json;
  } catch (error) {
    throw new InvalidAppend(
      `The ${part} of the event ${event.id} (${event.type}) is not JSON: ${String(error)}`,
    );
  }
  throw new InvalidAppend(`The ${part} of the event ${event.id} (${event.type}) is not JSON`);
}

/** Half a surrogate pair has no UTF-8: stored, two different names would become the same one. */
function checkName(what: string, name: string): void {
  if (name === '') throw new InvalidAppend(`The ${what} is empty`);
  if (name.length > maxStreamNameLength)
    throw new InvalidAppend(`The ${what} has ${name.length} characters; the limit is ${maxStreamNameLength}`);
  if (name.includes('\0') || !name.isWellFormed())
    throw new InvalidAppend(`The ${what} ${JSON.stringify(name)} holds a character that cannot be stored`);
}
