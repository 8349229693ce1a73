import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

/** Moves the credential's counts back, as if this much time had passed. */
async function pass(credential: string, seconds: number): Promise<void> {
  await pool.query(
    `update read_store.rate_limits set counted_at = counted_at - $2 * 1000,
       times = (select array_agg(time - $2 * 1000 order by time) from unnest(times) as time) where credential = $1`,
    [credential, seconds],
  );
}

describe('requests counted in Postgres', () => {
  it('pass up to exactly the limit, however many come at once', async () => {
    const counted = await Promise.all(Array.from({ length: 200 }, () => store.count('burst', 3)));
    expect(counted.filter(({ passed }) => passed)).toHaveLength(3);
    expect(Math.max(...counted.map(({ used }) => used))).toBe(3);
  });

  it('leave when they are a minute old, and not before', async () => {
    expect(await store.count('leave', 2)).toEqual({
      passed: true,
      used: 1,
      firstLeavesMs: 60_000,
      lastLeavesMs: 60_000,
    });
    await pass('leave', 30);
    expect(await store.count('leave', 2)).toMatchObject({ passed: true, used: 2, lastLeavesMs: 60_000 });
    await pass('leave', 20);
    const refused = await store.count('leave', 2);
    expect(refused).toMatchObject({ passed: false, used: 2 });
    // Some of the time that the test itself took.
    expect(Math.abs(refused.firstLeavesMs - 10_000)).toBeLessThan(5_000);
    expect(Math.abs(refused.lastLeavesMs - 40_000)).toBeLessThan(5_000);
    await pass('leave', 10);
    expect(await store.count('leave', 2)).toMatchObject({ passed: true, used: 2 });
    expect(await store.count('leave', 2)).toMatchObject({ passed: false });
    await pass('leave', 3600);
    expect(await store.count('leave', 2)).toMatchObject({ passed: true, used: 1, firstLeavesMs: 60_000 });
  });

  it('of a slot are kept as one', async () => {
    for (let calls = 0; calls < 50; calls++) await store.count('slots', 100);
    const { rows } = await pool.query(
      `select cardinality(times) < 50 as fewer, (select sum(each)::int from unnest(requests) as each) as used
       from read_store.rate_limits where credential = 'slots'`,
    );
    expect(rows).toEqual([{ fewer: true, used: 50 }]);
  });

  it('are those of one credential, and follow a limit that changes', async () => {
    expect(await store.count('one', 1)).toMatchObject({ passed: true, used: 1 });
    expect(await store.count('other', 1)).toMatchObject({ passed: true, used: 1 });
    expect(await store.count('one', 1)).toMatchObject({ passed: false });
    expect(await store.count('one', 2)).toMatchObject({ passed: true });
  });

  it('do not mind a clock that goes back, by a little or by much', async () => {
    await store.count('ahead', 2);
    await pass('ahead', -30);
    expect(await store.count('ahead', 2)).toMatchObject({ passed: true, used: 2, firstLeavesMs: 60_000 });
    await pass('ahead', -3600);
    expect(await store.count('ahead', 2)).toMatchObject({ passed: true, used: 1 });
  });

  it('are forgotten when they are long gone', async () => {
    await store.count('old', 1);
    await store.count('new', 1);
    await pass('old', 3600);
    await store.forgetIdle();
    const { rows } = await pool.query(
      `select credential from read_store.rate_limits where credential in ('old', 'new')`,
    );
    expect(rows).toEqual([{ credential: 'new' }]);
  });
});

/** The counting of releases before the sliding minute. One of them may still run, or come back. */
const bucket = {
  pour: `insert into read_store.rate_limits as known (credential, level, poured_at, passed)
    values ($1, 1, clock_timestamp(), true)
    on conflict (credential) do update set (level, poured_at, passed) = (select known.level + 1, clock_timestamp(), true)
    returning passed, level`,
  forget: `delete from read_store.rate_limits where poured_at < now() - interval '10 minutes'`,
};

describe('releases that count in buckets', () => {
  it.each(['before', 'behind'])('find their columns, %s this one', async (order) => {
    const credential = `shared ${order}`;
    const counts = [
      async () => expect(await store.count(credential, 5)).toMatchObject({ passed: true, used: 1 }),
      async () =>
        expect((await pool.query(bucket.pour, [credential])).rows).toMatchObject([{ passed: true }]),
    ];
    for (const count of order === 'before' ? counts.toReversed() : counts) await count();
    await pool.query(bucket.forget);
    expect(await store.count(credential, 5)).toMatchObject({ passed: true, used: 2 });
  });
});
