import { binaryArray } from '#platform/binary-array.js';
import { onlyRow } from '#platform/postgres.js';
import type { ExpectedRevision } from '../event-store.js';
import type { StoredPlace, StoredPlaces, Append } from '../serialised-event.js';
import type { Query } from './connection.js';
import { schemaInSql } from './schema.js';

export interface BatchAnswer {
  /** Position of the last event before this batch; 0 for an empty log. */
  readonly base: bigint;
  /** The revision of each append's stream before this batch; -1 for no stream. */
  readonly actual: readonly bigint[];
}

const append = {
  name: 'event_store.append',
  text: `select base, actual from ${schemaInSql}.append_batch($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
};
const find = {
  name: 'event_store.find',
  text: `select id, stream, revision, position from ${schemaInSql}.events where id = any($1::uuid[])`,
};

const noStream = -1n;
const anyRevision = -2n;

/** Whether the server took the append: the same comparison that `append_batch` makes. */
export function isAccepted(expected: ExpectedRevision, actual: bigint): boolean {
  return expected === 'any' || actual === (expected === 'no-stream' ? noStream : expected);
}

/**
 * Sends all appends in one round trip and one commit. The appends of a group happen together or not at all. If
 * an append writes a stream, no other append may name that stream.
 */
export async function appendBatch(
  query: Query,
  groups: readonly (readonly Append[])[],
): Promise<BatchAnswer> {
  return onlyRow({ rows: await query<{ base: bigint; actual: bigint[] }>(append, encode(groups)) });
}

function encode(groups: readonly (readonly Append[])[]): Buffer[] {
  const appends = groups.flat();
  const events = appends.flatMap((append) => append.events);
  const columns: [type: string, values: readonly unknown[]][] = [
    ['text', appends.map(({ stream }) => stream)],
    ['bigint', appends.map(({ expected }) => encodeExpected(expected))],
    ['integer', groups.flatMap((group, index) => group.map(() => index + 1))],
    ['integer', appends.flatMap((append, index) => append.events.map(() => index + 1))],
    ['integer', appends.flatMap((append) => append.events.map((_, place) => place + 1))],
    ['text', appends.flatMap((append) => append.events.map(() => append.stream))],
    ['uuid', events.map(({ id }) => id)],
    ['text', events.map(({ type }) => type)],
    ['json', events.map(({ data }) => data)],
    ['json', events.map(({ metadata }) => metadata)],
  ];
  return columns.map(([type, values]) => binaryArray(type, values));
}

function encodeExpected(expected: ExpectedRevision): bigint {
  if (expected === 'any') return anyRevision;
  return expected === 'no-stream' ? noStream : expected;
}

/** Where events with these ids are in the log, by id. */
export async function findEvents(query: Query, ids: readonly string[]): Promise<StoredPlaces> {
  const rows = await query<StoredPlace & { id: string }>(find, [binaryArray('uuid', ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}
