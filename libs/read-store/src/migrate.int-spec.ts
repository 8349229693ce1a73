import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { environments } from '#domain/streams.js';
import { readModelEntities, readModels } from '#projections/read-models.js';
import { eventually } from '../../../test/support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { createDataSource } from './data-source.js';
import { SnakeNamingStrategy } from './entity-table.js';
import { migrateReadStore } from './migrate.js';
import { TallyRow } from './testing/tally.js';

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
    await migrateReadStore(database.url, readModels);
    const live = await relations('live');
    expect(live).toEqual(
      expect.arrayContaining(['jobs', 'jobs_g1', 'idempotency_keys', 'process_checkpoints', 'timeline_g1']),
    );
    expect(await relations('test')).toEqual(live);
    expect(await relations('read_store')).toEqual([
      'alert_messages',
      'alerts',
      'checkpoint_log',
      'parked_events',
      'projections',
      'rate_limits',
      'schema_migrations',
      'signs_of_life',
      'stream_revisions',
    ]);
  });

  it('change nothing when they run again', async () => {
    await migrateReadStore(database.url, readModels);
    await client.query(`insert into live.keys (key_id, tenant, capabilities, label, issued_at)
      values ('K', 'T', '[]', '', now())`);
    await migrateReadStore(database.url, readModels);
    expect((await client.query('select key_id from live.keys')).rows).toEqual([{ key_id: 'K' }]);
  });

  it('run once when several processes start at the same time', async () => {
    await Promise.all([1, 2, 3, 4].map(() => migrateReadStore(database.url, readModels)));
    const { rows } = await client.query<{ name: string }>('select name from live.schema_migrations');
    expect(rows.length).toBeGreaterThan(1);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  });
});

/**
 * All that an application could notice of the schemas, so without the order of columns and the names of
 * migrations. A column that is newer than the tables of the migrations may be null in them, because it was
 * added to existing rows.
 */
async function shapes(known: ReadonlySet<string>): Promise<Record<string, unknown[]>> {
  const within = `where n.nspname in ('read_store', 'live', 'test')`;
  const queries = {
    relations: `select n.nspname, c.relname, c.relkind, c.relpersistence, c.reloptions from pg_class c
      join pg_namespace n on n.oid = c.relnamespace ${within} order by 1, 2`,
    columns: `select n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
        pg_get_expr(d.adbin, d.adrelid) as default, col_description(a.attrelid, a.attnum) as comment
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      ${within} and a.attnum > 0 and not a.attisdropped order by 1, 2, 3`,
    indexes: `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
      join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace ${within} order by 1`,
    constraints: `select n.nspname, o.conname, pg_get_constraintdef(o.oid) as definition from pg_constraint o
      join pg_namespace n on n.oid = o.connamespace ${within} and o.contype <> 'n' order by 1, 2`,
    views: `select view_schema, view_name, table_name from information_schema.view_table_usage
      where view_schema in ('live', 'test') order by 1, 2`,
    functions: `select n.nspname, p.proname, pg_get_functiondef(p.oid) as definition from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace ${within} order by 1`,
  };
  const shape: Record<string, unknown[]> = {};
  for (const [what, query] of Object.entries(queries)) shape[what] = (await client.query(query)).rows;
  shape['columns'] = (shape['columns'] as { relname: string; attname: string; required: boolean }[]).map(
    (column) => (known.has(`${column.relname}.${column.attname}`) ? column : { ...column, required: null }),
  );
  return shape;
}

async function knownColumns(): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema in ('read_store', 'live')`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** Makes the tables of an installation whose read models were made by migrations. */
async function migrateAsBefore(): Promise<void> {
  const file = readFileSync('libs/read-store/src/testing/made-by-migrations.sql', 'utf8');
  const [control, environment] = file.split('-- Each environment\n') as [string, string];
  for (const [schema, statements] of [
    ['read_store', control],
    ['live', environment],
    ['test', environment],
  ])
    await client.query(`create schema ${schema}; set search_path = ${schema}; ${statements}`);
  await client.query('reset search_path');
}

describe('a database whose read models were made by migrations', () => {
  it('gets the schemas that a fresh one gets', async () => {
    await migrateAsBefore();
    const known = await knownColumns();
    await migrateReadStore(database.url, readModels);
    const carriedOver = await shapes(known);
    await client.query('drop schema read_store cascade; drop schema live cascade; drop schema test cascade');
    await migrateReadStore(database.url, readModels);
    expect(carriedOver).toEqual(await shapes(known));
  });

  it('keeps its rows, checkpoints and generations', async () => {
    await migrateAsBefore();
    await client.query(`
      insert into live.keys_g1 values ('K1', 'T', '["jobs:read"]', 'first', '2026-01-01', null, '2026-02-01');
      create table live.jobs_g4 (like live.jobs_g1 including all);
      create or replace view live.jobs as select * from live.jobs_g4;
      insert into live.jobs_g4 (public_id, tenant, job_type, operation, status, credits_cost, request_id, display_name,
        created_at, latest_seq, latest_event, revision, child_index)
        values ('J4', 'T', 'J', 'j', 'NOT_STARTED', 8, 'R', '', now(), 1, '{}', 0, 3);
      insert into read_store.projections (environment, name, generation, version, position, epoch, state)
        values ('live', 'keys', 1, 2, 17, 5, 'live'), ('live', 'jobs', 3, 2, 12, 1, 'retired'), ('live', 'jobs', 4, 2, 17, 5, 'live')`);
    const tables = ['live.keys', 'live.jobs', 'read_store.projections', 'live.schema_migrations'];
    const contents = async () => {
      const all: Record<string, unknown[]> = {};
      for (const table of tables)
        all[table] = (await client.query(`select * from ${table} order by 1, 2, 3`)).rows;
      return all;
    };
    const before = await contents();
    await migrateReadStore(database.url, readModels);
    const after = await contents();
    expect(after['live.schema_migrations']).toEqual(
      expect.arrayContaining(before['live.schema_migrations']!),
    );
    expect({ ...after, 'live.schema_migrations': null }).toMatchObject({
      ...before,
      'live.schema_migrations': null,
    });
  });

  it('names the states of generations that only words told apart', async () => {
    await migrateAsBefore();
    await client.query(`insert into read_store.projections (environment, name, generation, version, state, halted_because)
      values ('live', 'keys', 1, 2, 'retired', null), ('live', 'keys', 2, 2, 'halted', 'a hole'),
        ('live', 'keys', 3, 2, 'building', null), ('live', 'keys', 4, 2, 'building', 'made to be compared'),
        ('live', 'keys', 5, 2, 'building', 'its rows differ from the live ones'),
        ('live', 'keys', 6, 2, 'building', 'complete, waits for a switch')`);
    await migrateReadStore(database.url, readModels);
    const { rows } = await client.query<{ state: string; because: string | null }>(
      'select state, halted_because as because from read_store.projections order by generation',
    );
    expect(rows.map(({ state, because }) => [state, because])).toEqual([
      ['retired', null],
      ['halted', 'a hole'],
      ['building', null],
      ['comparing', 'made to be compared'],
      ['differing', 'its rows differ from the live ones'],
      ['complete', 'complete, waits for a switch'],
    ]);
  });

  it.each([
    ['keys', 'retires_at', "'K', 'T', '[]', '', now(), null"],
    ['presets', 'retired_at', "'P', 'pose', 'Sitting', 'presets/P.png', now()"],
  ])(
    'gets a column of %s that it lacks in every generation and in the view',
    async (name, column, values) => {
      await migrateAsBefore();
      // There are two generations, and the second one serves.
      await client.query(`drop view live.${name}; alter table live.${name}_g1 drop column ${column};
        create table live.${name}_g2 (like live.${name}_g1 including all);
        create view live.${name} as select * from live.${name}_g2;
        insert into live.${name}_g2 values (${values});
        insert into read_store.projections (environment, name, generation, version, state)
          values ('live', '${name}', 1, 2, 'retired'), ('live', '${name}', 2, 2, 'live')`);
      await migrateReadStore(database.url, readModels);
      expect((await client.query(`select ${column} from live.${name}`)).rows).toEqual([{ [column]: null }]);
      expect((await client.query(`select ${column} from live.${name}_g1`)).rows).toEqual([]);
    },
  );

  it('counts the rows of folds without batches and without the retirement of keys as today’s', async () => {
    await migrateAsBefore();
    await client.query(`drop view live.jobs; alter table live.jobs_g1 drop column child_index;
      alter table live.jobs_g1 alter column charge_id set not null;
      create table live.jobs_g2 (like live.jobs_g1 including all);
      create view live.jobs as select * from live.jobs_g2;
      insert into read_store.projections (environment, name, generation, version, state)
        values ('live', 'jobs', 1, 1, 'retired'), ('live', 'jobs', 2, 1, 'live'), ('live', 'keys', 1, 1, 'live'),
          ('live', 'usage', 1, 1, 'live');
      delete from live.schema_migrations where name like 'AddBatches%' or name like 'AddKeyRetirement%'`);
    await migrateReadStore(database.url, readModels);
    await client.query(`insert into live.jobs (public_id, tenant, job_type, operation, status, credits_cost, request_id,
        display_name, created_at, latest_seq, latest_event, revision)
      values ('P', 'T', 'J', 'j', 'NOT_STARTED', 8, 'R', '', now(), 1, '{}', 0)`);
    expect((await client.query('select public_id, charge_id, child_index from live.jobs_g2')).rows).toEqual([
      { public_id: 'P', charge_id: null, child_index: null },
    ]);
    const { rows } = await client.query(
      `select name, generation, version from read_store.projections where environment = 'live' order by name, generation`,
    );
    expect(rows).toEqual([
      { name: 'jobs', generation: 1, version: 2 },
      { name: 'jobs', generation: 2, version: 2 },
      { name: 'keys', generation: 1, version: 2 },
      { name: 'usage', generation: 1, version: 1 },
    ]);
  });
});

describe('the tables of read models', () => {
  it('are what TypeORM takes the entities for', async () => {
    class FirstGeneration extends SnakeNamingStrategy {
      override tableName(targetName: string, userSpecifiedName: string | undefined): string {
        return `${super.tableName(targetName, userSpecifiedName)}_g1`;
      }
    }
    await migrateReadStore(database.url, readModels);
    for (const schema of environments) {
      const { options } = createDataSource({ url: database.url, schema, entities: readModelEntities });
      const dataSource = new DataSource({ ...options, namingStrategy: new FirstGeneration() });
      await dataSource.initialize();
      const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
      await dataSource.destroy();
      // The names of indexes end in the number of their generation.
      const others = upQueries
        .map(({ query }) => query)
        .filter((query) => !/^(DROP|CREATE) INDEX/.test(query));
      expect(others).toEqual([]);
    }
  });

  it('hold in partial indexes what the entities say', async () => {
    await migrateReadStore(database.url, readModels);
    const { rows } = await client.query<{ name: string; where: string }>(
      `select x.relname as name, pg_get_expr(i.indpred, i.indrelid) as where from pg_index i
        join pg_class x on x.oid = i.indexrelid where x.relnamespace = 'live'::regnamespace and i.indpred is not null
          and x.relname ~ '_g[0-9]+$' order by 1`,
    );
    const entities = new Set<unknown>(readModelEntities);
    const declared = getMetadataArgsStorage()
      .indices.filter(({ target, where }) => entities.has(target) && where !== undefined)
      .map(({ name, where }) => ({ name: `${name}_g1`, where }));
    expect(declared.length).toBeGreaterThan(0);
    // PostgreSQL adds brackets and the types of literals.
    const held = rows.map(({ name, where }) => ({ name, where: where.replaceAll(/::\w+|[()]/g, '') }));
    expect(held).toEqual(declared.toSorted((one, other) => (one.name < other.name ? -1 : 1)));
  });

  it('are made for a read model that is new to a database', async () => {
    await migrateReadStore(database.url, readModels);
    await migrateReadStore(database.url, [...readModels, { name: 'tally', version: 1, entity: TallyRow }]);
    expect((await client.query('select tenant, amounts, last_at from live.tally')).rows).toEqual([]);
    expect(await relations('test')).toContain('tally_g1');
  });

  it('fail when their connection ends, and end no process', async () => {
    await migrateReadStore(database.url, readModels);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query('begin; lock table read_store.schema_migrations');
    const migrating = migrateReadStore(database.url, readModels);
    migrating.catch(() => undefined);
    // It holds its lock, and waits for the table that the other connection has locked.
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'atelier-migrate' and datname = current_database() and exists (
        select from pg_locks where not granted and relation = 'read_store.schema_migrations'::regclass)`;
    await eventually(async () => (await client.query(end)).rowCount === 1);
    await other.end();
    await expect(migrating).rejects.toThrow();
  });

  it('are not put in place of those that have disappeared: only a rebuild can fill them', async () => {
    await migrateReadStore(database.url, readModels);
    await client.query(`insert into read_store.projections (environment, name, generation, version, position, state)
      values ('live', 'keys', 1, 2, 17, 'live'); drop table live.keys_g1 cascade`);
    await migrateReadStore(database.url, readModels);
    expect(await relations('live')).not.toContain('keys_g1');
    expect(await relations('live')).not.toContain('keys');
  });
});
