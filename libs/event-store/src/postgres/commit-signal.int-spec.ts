import { afterAll, beforeAll, expect, it } from 'vitest';
import pg from 'pg';
import { eventStoreTemplate } from '../../../../test/support/postgres-event-store-harness.js';
import { eventually } from '../../../../test/support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import { CommitSignal } from './commit-signal.js';
import { defaultSchema } from './schema.js';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase({ template: eventStoreTemplate });
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function listeners(): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and query ilike 'listen %'`,
  );
  return rows.map(({ pid }) => pid);
}

it('listens on one connection until the last subscription has ended', async () => {
  const signal = new CommitSignal({ connectionString: database.url }, defaultSchema);
  const [leaveFirst, leaveSecond] = [signal.register(), signal.register()];
  await eventually(async () => (await listeners()).length === 1);
  const before = await listeners();
  leaveFirst();
  const leaveThird = signal.register();
  // Another one would be there by then, and this one gone.
  await new Promise((resume) => setTimeout(resume, 300));
  expect(await listeners()).toEqual(before);
  leaveSecond();
  leaveThird();
  await eventually(async () => (await listeners()).length === 0);
  await signal.close();
});
