import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { migrateReadStore } from './migrate.js';

let database: TestDatabase;
let client: pg.Client;

beforeEach(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterEach(async () => {
  await client.end();
  await database.drop();
});

async function relations(schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relkind in ('r', 'v') order by 1`,
    [schema],
  );
  return rows.map(({ name }) => name);
}

describe('the read store migrations', () => {
  it('make the same tables and views in both environments', async () => {
    await migrateReadStore(database.url);
    const live = await relations('live');
    expect(live).toEqual(
      expect.arrayContaining(['jobs', 'jobs_g1', 'idempotency_keys', 'process_checkpoints', 'timeline_g1']),
    );
    expect(await relations('test')).toEqual(live);
    expect(await relations('read_store')).toEqual([
      'parked_events',
      'projections',
      'rate_limits',
      'schema_migrations',
      'stream_revisions',
    ]);
  });

  it('change nothing when they run again', async () => {
    await migrateReadStore(database.url);
    await client.query(`insert into live.keys (key_id, tenant, capabilities, label, issued_at)
      values ('K', 'T', '[]', '', now())`);
    await migrateReadStore(database.url);
    expect((await client.query('select key_id from live.keys')).rows).toEqual([{ key_id: 'K' }]);
  });

  it('run once when several processes start at the same time', async () => {
    await Promise.all([1, 2, 3, 4].map(() => migrateReadStore(database.url)));
    const { rows } = await client.query<{ name: string }>('select name from live.schema_migrations');
    expect(rows.length).toBeGreaterThan(1);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  });

  it('leave room for a second generation: a table made like the first takes over by a change of the view', async () => {
    await migrateReadStore(database.url);
    await client.query('create table live.keys_g2 (like live.keys_g1 including all)');
    await client.query(`insert into live.keys_g2 values ('K2', 'T', '[]', '', now(), null)`);
    await client.query('begin; create or replace view live.keys as select * from live.keys_g2; commit');
    expect((await client.query('select key_id from live.keys')).rows).toEqual([{ key_id: 'K2' }]);
    const { rows } = await client.query(`select indexname from pg_indexes where tablename = 'keys_g2'`);
    expect(rows).toHaveLength(2);
  });
});

describe('the retirement of keys', () => {
  it('is a column that is there afterwards in every generation, and the fold of version 1 counts as version 2', async () => {
    await migrateReadStore(database.url);
    // As an installation was before: two generations, of which the second serves.
    await client.query(`drop view live.keys; alter table live.keys_g1 drop column retires_at;
      create table live.keys_g2 (like live.keys_g1 including all);
      create view live.keys as select * from live.keys_g2;
      insert into live.keys_g2 values ('K2', 'T', '[]', '', now(), null);
      insert into read_store.projections (environment, name, generation, version, state)
        values ('live', 'keys', 1, 1, 'retired'), ('live', 'keys', 2, 1, 'live');
      delete from live.schema_migrations where name like 'AddKeyRetirement%'`);
    await migrateReadStore(database.url);
    expect((await client.query('select key_id, retires_at from live.keys')).rows).toEqual([
      { key_id: 'K2', retires_at: null },
    ]);
    const { rows } = await client.query(
      `select version from read_store.projections where environment = 'live' and name = 'keys'`,
    );
    expect(rows).toEqual([{ version: 2 }, { version: 2 }]);
  });
});

describe('batches', () => {
  it('let jobs be without a charge and give children an order, in every generation', async () => {
    await migrateReadStore(database.url);
    // As an installation was before: two generations, of which the second serves.
    await client.query(`drop view live.jobs; alter table live.jobs_g1 drop column child_index;
      alter table live.jobs_g1 alter column charge_id set not null;
      create table live.jobs_g2 (like live.jobs_g1 including all);
      create view live.jobs as select * from live.jobs_g2;
      insert into read_store.projections (environment, name, generation, version, state)
        values ('live', 'jobs', 1, 1, 'retired'), ('live', 'jobs', 2, 1, 'live');
      delete from live.schema_migrations where name like 'AddBatches%'`);
    await migrateReadStore(database.url);
    await client.query(`insert into live.jobs (public_id, tenant, job_type, operation, status, credits_cost, request_id,
        display_name, created_at, latest_seq, latest_event, revision)
      values ('P', 'T', 'J', 'j', 'NOT_STARTED', 8, 'R', '', now(), 1, '{}', 0)`);
    expect((await client.query('select public_id, charge_id, child_index from live.jobs_g2')).rows).toEqual([
      { public_id: 'P', charge_id: null, child_index: null },
    ]);
    const { rows } = await client.query(
      `select version from read_store.projections where environment = 'live' and name = 'jobs'`,
    );
    expect(rows).toEqual([{ version: 2 }, { version: 2 }]);
  });
});
