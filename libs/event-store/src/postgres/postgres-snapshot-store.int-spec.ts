import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type pg from 'pg';
import { eventStoreTemplate } from '../../../../test/support/postgres-event-store-harness.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import { authenticSnapshots, type SnapshotStore } from '../snapshots.js';
import { createEventStorePool } from './postgres-event-store.js';
import { createPostgresSnapshotStore } from './postgres-snapshot-store.js';

let database: TestDatabase;
let pool: pg.Pool;
let snapshots: SnapshotStore;

beforeAll(async () => {
  database = await createTestDatabase({ template: eventStoreTemplate });
  pool = createEventStorePool(database.url);
  snapshots = createPostgresSnapshotStore(pool);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe('the snapshot store in PostgreSQL', () => {
  it('gives back the newest state, with its revision', async () => {
    const state = { balance: 40, charges: { open: [{ id: 'ü"\\', amount: 1 }] }, nothing: null };
    await snapshots.save('account-a', 1, 249n, { balance: 1 });
    await snapshots.save('account-a', 1, 9_007_199_254_740_993n, state);
    expect(await snapshots.load('account-a', 1)).toEqual({ revision: 9_007_199_254_740_993n, state });
  });

  it('only ever moves forward', async () => {
    await snapshots.save('account-b', 1, 500n, 'new');
    await snapshots.save('account-b', 1, 250n, 'late');
    await snapshots.save('account-b', 1, 500n, 'again');
    expect(await snapshots.load('account-b', 1)).toEqual({ revision: 500n, state: 'new' });
  });

  it('gives nothing of another stream or another version of the fold', async () => {
    await snapshots.save('account-c', 1, 10n, {});
    expect(await snapshots.load('account-c', 2)).toBeUndefined();
    expect(await snapshots.load('account-d', 1)).toBeUndefined();
  });

  it('drops the snapshot of this revision and no other', async () => {
    await snapshots.save('account-e', 1, 10n, 'kept');
    await snapshots.drop('account-e', 1, 9n);
    expect(await snapshots.load('account-e', 1)).toBeDefined();
    await snapshots.drop('account-e', 1, 10n);
    expect(await snapshots.load('account-e', 1)).toBeUndefined();
  });
});

describe('snapshots with a keyed digest', () => {
  const secret = 'a secret that is not in the database';
  const state = { account: { balance: 40 }, position: '7' };
  let dropped = 0;
  const authentic = (given: string | undefined = secret) =>
    authenticSnapshots(snapshots, given, () => dropped++);
  const alter = (sql: string) =>
    pool.query(`update event_store.snapshots set ${sql} where stream = 'account-f'`);

  beforeEach(async () => {
    await pool.query(`delete from event_store.snapshots where stream = 'account-f'`);
    dropped = 0;
    await authentic().save('account-f', 1, 10n, state);
  });

  it('are given back to every process that has the secret', async () => {
    expect(await authentic().load('account-f', 1)).toEqual({ revision: 10n, state });
    expect(dropped).toBe(0);
  });

  it.each([
    ['another balance', `state = replace(state::text, '40', '4000')::json`],
    ['another revision', 'revision = 11'],
    ['no digest, as of an older release', `state = '{"account": {"balance": 40}, "position": "7"}'`],
    ['no state', `state = 'null'`],
    [
      'a digest of another stream',
      `state = (select state from event_store.snapshots where stream = 'account-g')`,
    ],
  ])('are dropped and counted where there is %s, and can be saved anew', async (_, sql) => {
    await authentic().save('account-g', 1, 10n, state);
    await alter(sql);
    expect(await authentic().load('account-f', 1)).toBeUndefined();
    expect(dropped).toBe(1);
    await authentic().save('account-f', 1, 5n, state);
    expect(await authentic().load('account-f', 1)).toEqual({ revision: 5n, state });
  });

  it('are dropped where they were made with another secret', async () => {
    expect(await authentic('another secret').load('account-f', 1)).toBeUndefined();
    expect(dropped).toBe(1);
  });

  it('are neither believed, made nor touched without a secret', async () => {
    const blind = authenticSnapshots(snapshots, undefined, () => dropped++);
    expect(await blind.load('account-f', 1)).toBeUndefined();
    await blind.save('account-f', 1, 20n, state);
    expect(await authentic().load('account-f', 1)).toEqual({ revision: 10n, state });
    expect(dropped).toBe(0);
  });
});
