import { describe, expect, it } from 'vitest';
import pg from 'pg';
import { createTestDatabase } from './test-database.js';

async function query(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

describe('the test database', () => {
  it('is empty and its own for each caller', async () => {
    const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    await query(one.url, 'create table mine (id int)');
    await expect(query(two.url, 'select from mine')).rejects.toThrow('does not exist');
    await Promise.all([one.drop(), two.drop()]);
    await expect(query(one.url, 'select 1')).rejects.toThrow('does not exist');
  });

  it('prepares a template once, also when several ask for it at the same time', async () => {
    let prepared = 0;
    const prepare = async (url: string) => {
      prepared += 1;
      await query(url, 'create table seeded as select 7 as answer');
    };
    const template = { name: 'spec_of_the_factory', prepare };
    const clones = await Promise.all([1, 2, 3, 4].map(() => createTestDatabase({ template })));
    for (const clone of clones) {
      const { rows } = await query(clone.url, 'select answer from seeded');
      expect(rows).toEqual([{ answer: 7 }]);
      await clone.drop();
    }
    expect(prepared).toBe(1);
  });

  it('is dropped even while somebody is connected', async () => {
    const database = await createTestDatabase();
    const client = new pg.Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();
    await database.drop();
    await expect(client.query('select 1')).rejects.toThrow();
  });
});
