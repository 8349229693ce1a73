import type pg from 'pg';
import { DuplicateEventId, type AppendOutcome } from '../event-store.js';
import type { Append } from './append-statement.js';
import { binaryArray } from '#platform/binary-array.js';
import { query } from './connection.js';
import { quoteSchema } from './schema.js';

export interface Place {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
}

/** Where events with these ids are in the log, by id. */
export async function findEvents(
  client: pg.ClientBase,
  schema: string,
  ids: readonly string[],
  timeoutMs: number,
): Promise<ReadonlyMap<string, Place>> {
  const statement = {
    name: `${schema}.find`,
    text: `select id, stream, revision, position from ${quoteSchema(schema)}.events where id = any($1::uuid[])`,
  };
  const rows = await query<Place & { id: string }>(client, statement, [binaryArray('uuid', ids)], timeoutMs);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The verdict on an append that the store refused, given where its ids are in the log and the stream's revision.
 * - All of them, in order, right where the append would have put them: it is the repetition of one that succeeded.
 * - Some of them beyond the expected revision, but not all, or not so: two different appends share ids.
 * - Otherwise the caller's picture of the stream is old. That holds also when the ids lie further back: whoever reads
 *   the stream again will find them.
 */
export function judgeRefused(
  append: Append,
  actual: bigint,
  places: ReadonlyMap<string, Place>,
): AppendOutcome | DuplicateEventId {
  const replay = findReplay(append, places);
  if (replay) return replay;
  const after = append.expected === 'no-stream' ? -1n : append.expected;
  const overlaps = append.events.some(({ id }) => {
    const place = places.get(id);
    return place?.stream === append.stream && after !== 'any' && place.revision > after;
  });
  if (overlaps) return duplicate(append);
  return { outcome: 'wrong-expected-revision', actual: actual < 0n ? 'no-stream' : actual };
}

/** The verdict on an append that failed because one of its ids exists already. */
export function judgeDuplicate(
  append: Append,
  places: ReadonlyMap<string, Place>,
): AppendOutcome | DuplicateEventId {
  return findReplay(append, places) ?? duplicate(append);
}

function findReplay(append: Append, places: ReadonlyMap<string, Place>): AppendOutcome | undefined {
  const first = places.get(append.events[0]!.id);
  if (first === undefined) return undefined;
  const expectedFirst =
    append.expected === 'no-stream' ? 0n : append.expected === 'any' ? first.revision : append.expected + 1n;
  const inPlace = append.events.every(({ id }, index) => {
    const place = places.get(id);
    return place?.stream === append.stream && place.revision === expectedFirst + BigInt(index);
  });
  if (!inPlace) return undefined;
  const last = places.get(append.events.at(-1)!.id)!;
  return { outcome: 'appended', revision: last.revision, position: last.position, replayed: true };
}

function duplicate({ stream, events }: Append): DuplicateEventId {
  return new DuplicateEventId(
    `An append to ${stream} reuses ids of events that are in the log already: ${events.map(({ id }) => id).join(', ')}`,
  );
}
