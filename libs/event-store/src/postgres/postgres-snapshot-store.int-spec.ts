import type pg from 'pg';
import { eventStoreTemplate } from '../../../../test/support/postgres-event-store-harness.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import type { SnapshotStore } from '../snapshots.js';
import { createEventStorePool } from './postgres-event-store.js';
import { createPostgresSnapshotStore } from './postgres-snapshot-store.js';

let database: TestDatabase;
let pool: pg.Pool;
let snapshots: SnapshotStore;

beforeAll(async () => {
  database = await createTestDatabase({ template: eventStoreTemplate });
  pool = createEventStorePool(database.url);
  snapshots = createPostgresSnapshotStore({ pool });
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
});
