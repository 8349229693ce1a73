import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { migrateReadStore } from './migrate.js';
import { PostgresRateLimitStore } from './rate-limit-store.js';

let database: TestDatabase;
let pool: pg.Pool;
let store: PostgresRateLimitStore;

beforeAll(async () => {
  database = await createTestDatabase();
  await migrateReadStore(database.url, []);
  pool = new pg.Pool({ connectionString: database.url, max: 8 });
  store = new PostgresRateLimitStore(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** As if this much time had passed for the credential. */
async function pass(credential: string, seconds: number): Promise<void> {
  await pool.query(
    `update read_store.rate_limits set poured_at = poured_at - make_interval(secs => $2) where credential = $1`,
    [credential, seconds],
  );
}

describe('buckets in Postgres', () => {
  it('let exactly the limit through, however many come at once', async () => {
    const poured = await Promise.all(Array.from({ length: 200 }, () => store.pour('burst', 3)));
    expect(poured.filter(({ passed }) => passed)).toHaveLength(3);
    expect(Math.max(...poured.map(({ level }) => level))).toBeLessThanOrEqual(3);
  });

  it('drain at the limit', async () => {
    for (let calls = 0; calls < 5; calls++) await store.pour('drain', 4);
    expect(await store.pour('drain', 4)).toMatchObject({ passed: false });
    await pass('drain', 14.5);
    expect(await store.pour('drain', 4)).toMatchObject({ passed: false });
    await pass('drain', 1);
    expect(await store.pour('drain', 4)).toMatchObject({ passed: true });
    expect(await store.pour('drain', 4)).toMatchObject({ passed: false });
    await pass('drain', 3600);
    expect(await store.pour('drain', 4)).toEqual({ passed: true, level: 1 });
  });

  it('are one for each credential, and follow a limit that changes', async () => {
    expect(await store.pour('one', 1)).toEqual({ passed: true, level: 1 });
    expect(await store.pour('other', 1)).toEqual({ passed: true, level: 1 });
    expect(await store.pour('one', 1)).toMatchObject({ passed: false });
    expect(await store.pour('one', 2)).toMatchObject({ passed: true });
  });

  it('do not mind a clock that goes back', async () => {
    await store.pour('ahead', 2);
    await pass('ahead', -3600);
    const { passed, level } = await store.pour('ahead', 2);
    expect({ passed, level }).toEqual({ passed: true, level: 2 });
  });

  it('are forgotten when they have long been empty', async () => {
    await store.pour('old', 1);
    await store.pour('new', 1);
    await pass('old', 3600);
    await store.forgetEmpty();
    const { rows } = await pool.query(
      `select credential from read_store.rate_limits where credential in ('old', 'new')`,
    );
    expect(rows).toEqual([{ credential: 'new' }]);
  });
});
