import { DuplicateEventId, type AppendOutcome, type AppendTogetherOutcome } from './event-store.js';
import type { Append } from './serialised-event.js';

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
 * The verdict on an append that the store refused, given the stream's revision, and where events with the append's ids
 * are, as far as they lie beyond the expected revision.
 * - All of them, in order, right where the append would have put them: it is the repetition of one that succeeded.
 * - Some of them beyond the expected revision, but not all, or not so: two different appends share ids.
 * - Otherwise the caller's picture of the stream is old. That holds also when the ids lie further back: the caller finds
 *   them when it reads the stream again.
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
  // No revision can be wrong for 'any', so the ids are what the store refused.
  if (overlaps || expected === 'any') return duplicateIds([append]);
  return { outcome: 'wrong-expected-revision', actual };
}

/** The outcome of the append if it was made before, with all its events in order, at the given places. */
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

/** The same for appends that were made together: of all of them. A guard leaves nothing that could be found. */
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
