import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { binaryArray } from './binary-array.js';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

/** The values as PostgreSQL reads them. */
async function sent(type: string, values: readonly unknown[]): Promise<unknown[]> {
  const { rows } = await client.query<{ value: unknown }>(`select unnest($1::${type}[]) as value`, [
    binaryArray(type, values),
  ]);
  return rows.map(({ value }) => value);
}

describe('the values of a column', () => {
  it.each([
    ['text', ['', 'plain', 'a "quote", {braces} and a \\', 'Größe 絹 🧵', null, 'NULL']],
    ['integer', [0, 1, -1, 2_147_483_647, -2_147_483_648, null]],
    ['timestamptz', [new Date('2026-06-01T12:00:00.123Z'), new Date('1999-12-31T23:59:59.999Z'), null]],
    ['jsonb', [{ a: [1, 'x"y'], ü: null }, [], [1, 2], 'text', 0, false, null]],
    ['uuid', ['b0a5f7d2-3c58-5c0e-9a53-6c2f4a5f3e90', null]],
    ['text', []],
  ])('arrive as they were sent: %s', async (type, values) => {
    expect(await sent(type, values)).toEqual(values);
  });

  it.each([
    ['bigint', [9223372036854775807n, -1n, null], ['9223372036854775807', '-1', null]],
    ['json', ['{"a": "ü"}', null], [{ a: 'ü' }, null]],
  ])('arrive as they were sent, and are read in another form: %s', async (type, values, read) => {
    expect(await sent(type, values)).toEqual(read);
  });

  it('are refused for a type that has no binary form here yet', () => {
    expect(() => binaryArray('money', [1])).toThrow('money');
  });
});
