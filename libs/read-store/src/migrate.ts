import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { environments, type Environment } from '#domain/streams.js';
import { createDataSource, type DataSourceSettings } from './data-source.js';
import { alignTables, shapeBeforeGrowth, type TabledModel } from './entity-table.js';

/*
 * Migrations make the tables that history cannot rebuild: the state of the runners, and data that processes
 * keep for a while. The tables of the read models are made from their entities instead, see entity-table.ts.
 */

/** @param statements of each migration, by its stored name */
function migrationsOf(statements: Readonly<Record<string, string>>): (new () => MigrationInterface)[] {
  return Object.entries(statements).map(
    ([name, text]) =>
      class implements MigrationInterface {
        readonly name = name;

        async up(runner: QueryRunner): Promise<void> {
          await runner.query(text);
        }

        down(): Promise<void> {
          return Promise.reject(
            new Error('a migration is not taken back: restore the database, or rebuild from the log'),
          );
        }
      },
  );
}

const controlMigrations = migrationsOf({
  /**
   * The schema `read_store`: the state of the projection runners of all environments. PostgreSQL stores the
   * function's spaces too, and the audit compares them.
   */
  CreateControlTables1790000000000: `
    create table projections (
      environment text not null,
      name        text not null,
      generation  integer not null,
      version     integer not null,
      position    bigint,
      epoch       bigint not null default 0,
      state       text not null check (state in ('live', 'halted', 'building', 'retired')),
      halted_because text,
      updated_at  timestamptz not null default now(),
      primary key (environment, name, generation)
    );
    comment on column projections.position is
      'The fold has seen everything up to and including this position of the log; null: nothing yet';
    create table stream_revisions (
      consumer text not null,
      stream   text not null,
      revision bigint not null,
      primary key (consumer, stream)
    ) with (fillfactor = 85);
    create table parked_events (
      environment text not null,
      name        text not null,
      generation  integer not null,
      stream      text not null,
      revision    bigint not null,
      position    bigint not null,
      event_id    uuid not null,
      event_type  text not null,
      error       text,
      parked_at   timestamptz not null default now(),
      primary key (environment, name, generation, stream, revision)
    );
    comment on column parked_events.error is
      'Why the first event of its stream was parked; null for those that only wait behind it';
    create function require(condition boolean, complaint text) returns void language plpgsql as $$
      begin
        if condition is not true then
          raise exception '%', complaint using errcode = 'AT001';
        end if;
      end $$`,
  /**
   * The rate limit of all credentials. Both environments share it, because keys are unique across them. It is
   * unlogged, because a crash of the server loses only a minute's count. Pages have free room, because every
   * request updates a row in place.
   */
  CreateRateLimits1790000000020: `
    create unlogged table rate_limits (
      credential text primary key,
      level      double precision not null,
      poured_at  timestamptz not null,
      passed     boolean not null
    ) with (fillfactor = 50);
    comment on column rate_limits.level is
      'Requests in the bucket at poured_at; it drains at the limit, see docs/adr/0009-rate-limit-stores.md'`,
  /** States that only the text in `halted_because` distinguished get their own names. */
  NameGenerationStates1790000000041: `
    alter table projections
      drop constraint projections_state_check,
      add constraint projections_state_check check (
        state in ('live', 'halted', 'building', 'comparing', 'complete', 'differing', 'retired'));
    update projections set state = case halted_because
        when 'made to be compared' then 'comparing'
        when 'its rows differ from the live ones' then 'differing'
        else 'complete'
      end
      where state = 'building' and halted_because is not null`,
  /**
   * Counts of a sliding minute replace the bucket, which allowed up to twice the limit in a minute. The bucket's
   * content is not carried over, because it is only a minute's count.
   */
  CountRequestsInWindows1790000000060: `
    drop table rate_limits;
    create unlogged table rate_limits (
      credential text primary key,
      times      double precision[] not null,
      requests   integer[] not null,
      counted_at double precision not null,
      passed     boolean not null
    ) with (fillfactor = 50);
    comment on table rate_limits is
      'The requests of the last minute: how many in each slot, and the last one''s time in milliseconds since 1970'`,
  /**
   * A checkpoint names the event that it was made from, and the installation names the log of all checkpoints.
   * A copy between stores made the log's table before a migration for it existed.
   */
  AnchorProjections1790000000070: `
    alter table projections add column event_position bigint, add column event_id uuid;
    comment on column projections.event_id is
      'The last event up to the position, which lies at event_position: shows that the log is still the same';
    create table if not exists checkpoint_log (
      single   boolean primary key default true check (single),
      log      text not null,
      moved_at timestamptz not null default now()
    );
    alter table checkpoint_log add column identity uuid`,
  /**
   * Each process renews its row every few seconds. Unlogged: after a crash of the server, live processes write
   * their rows again at once.
   */
  CreateSignsOfLife1790000000090: `
    create unlogged table signs_of_life (
      process      text primary key,
      role         text not null,
      host         text not null,
      pid          integer not null,
      started_mark text,
      release      text not null,
      started_at   timestamptz not null default now(),
      seen_at      timestamptz not null default now()
    ) with (fillfactor = 50)`,
  /**
   * The shape of the fold that made a read model's rows. Releases that run side by side may fold into different
   * columns.
   */
  MarkFolds1790000000091: `
    alter table projections add column folded_to jsonb not null default '{}';
    comment on column projections.folded_to is
      'By shape of the fold: up to which position the rows are its own. Behind the position: another release has folded'`,
  /**
   * Keeps the bucket's columns for releases before the sliding minute that still run, or come back. Each release
   * uses its own columns and ignores the other's counts. So a credential may exceed its limit while both serve.
   */
  KeepTheBucket1790000000092: `
    alter table rate_limits
      add column level double precision not null default 0,
      add column poured_at timestamptz not null default now(),
      alter column times set default '{}',
      alter column requests set default '{}',
      alter column counted_at set default 0`,
  TellTroubles1790000000096: `
    alter table signs_of_life add column troubles jsonb not null default '{}';
    comment on column signs_of_life.troubles is 'By subject: what the process does without at the moment'`,
  /** What operators were told about the installation, and what is still to be told. */
  CreateAlerts1790000000100: `
    create table alerts (
      alert       text primary key,
      environment text,
      what        text not null,
      details     jsonb not null,
      since       timestamptz not null,
      told_at     timestamptz,
      gone_since  timestamptz
    );
    comment on column alerts.told_at is 'Null: it has not stood long enough to be told';
    create table alert_messages (
      channel         text not null,
      alert           text not null,
      host            text not null,
      message_id      text not null,
      body            text not null,
      created_at      timestamptz not null,
      attempts        integer not null default 0,
      next_attempt_at timestamptz not null,
      error           text,
      primary key (channel, alert)
    );
    comment on column alert_messages.channel is
      'A digest of the address, which may hold a secret. A newer message about the same alert replaces the row'`,
});

const environmentMigrations = migrationsOf({
  /**
   * Tables of one environment that no history rebuilds: answers kept for retries, and how far each process
   * manager came.
   */
  CreateOperationalTables1790000000002: `
    create table idempotency_keys (
      tenant           text not null,
      endpoint         text not null,
      key              text not null,
      body_hash        text not null,
      request_id       text not null,
      job_id           text not null,
      status           text not null check (status in ('running', 'answered')),
      response_status  integer,
      response_headers json,
      response_body    json,
      locked_until     timestamptz not null,
      created_at       timestamptz not null default now(),
      primary key (tenant, endpoint, key)
    );
    create index idempotency_keys_by_age on idempotency_keys (created_at);
    create table process_checkpoints (
      process    text primary key,
      position   bigint,
      epoch      bigint not null default 0,
      updated_at timestamptz not null default now()
    )`,
  /**
   * Carries over the read models of a database whose tables were made by migrations. The indexes of its first
   * generation get the names that entities give them. Rows from folds before batches and before the retirement of
   * keys count as current. No history of that time has either, so today's fold gives the same rows.
   */
  CarryReadModelsOver1790000000040: `
    do $$
    declare
      named record;
    begin
      for named in
        select i.indexrelid::regclass::text as index, x.relname || substring(t.relname from '_g[0-9]+$') as name
          from pg_index i join pg_class x on x.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
          where t.relnamespace = current_schema()::regnamespace and not i.indisprimary
            and t.relname ~ '_g[0-9]+$' and x.relname !~ '_g[0-9]+$'
      loop
        execute format('alter index %s rename to %I', named.index, named.name);
      end loop;
    end $$;
    update read_store.projections set version = 2
      where environment = current_schema() and name in ('jobs', 'keys') and version = 1`,
  AnchorProcesses1790000000071: `
    alter table process_checkpoints
      add column event_position bigint, add column event_id uuid, add column halted_because text`,
  /** The state of webhook deliveries. The log has the reported events, but not the attempts. */
  CreateWebhookDeliveries1790000000080: `
    create table webhook_deliveries (
      delivery_id     text primary key,
      tenant          text not null,
      endpoint_id     text not null,
      type            text not null,
      body            text not null,
      occurred_at     timestamptz not null,
      status          text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
      round           integer not null default 0,
      attempts        integer not null default 0,
      next_attempt_at timestamptz,
      resent_at       timestamptz,
      created_at      timestamptz not null default now()
    ) with (fillfactor = 70);
    create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, occurred_at, delivery_id);
    create index webhook_deliveries_by_age on webhook_deliveries (occurred_at);
    create index webhook_deliveries_pending on webhook_deliveries (coalesce(next_attempt_at, resent_at, created_at))
      where status = 'pending';
    create table webhook_attempts (
      attempt     bigint generated always as identity primary key,
      delivery_id text not null references webhook_deliveries on delete cascade,
      at          timestamptz not null,
      duration_ms integer not null,
      status_code integer,
      answer      text,
      error       text
    );
    create index webhook_attempts_by_delivery on webhook_attempts (delivery_id, attempt);
    create table webhook_health (
      endpoint_id   text primary key,
      failing_since timestamptz,
      failed_at     timestamptz
    )`,
  /** Null for what an older release has queued. */
  ProveWebhookDeliveries1790000000095: `
    alter table webhook_deliveries add column mac text`,
  /** The state of pushes to the buckets of tenants. What is pushed, and where to, is in the log alone. */
  CreateBucketPushes1790000000101: `
    create table bucket_pushes (
      job_id          text primary key,
      tenant          text not null,
      status          text not null default 'waiting' check (status in ('waiting', 'pushed', 'failed')),
      round           integer not null default 0,
      attempts        integer not null default 0,
      next_attempt_at timestamptz,
      queued_at       timestamptz not null default now(),
      pushed_at       timestamptz,
      failed_at       timestamptz,
      error           text
    ) with (fillfactor = 70);
    create index bucket_pushes_by_tenant on bucket_pushes (tenant, status, pushed_at);
    create index bucket_pushes_by_age on bucket_pushes (queued_at);
    create index bucket_pushes_waiting on bucket_pushes (coalesce(next_attempt_at, queued_at))
      where status = 'waiting'`,
});

/**
 * Brings the schemas `read_store`, `live` and `test` up to date, including the tables of these read models.
 * Idempotent. When several processes start at once, one does the work and the others wait.
 */
export async function migrateReadStore(url: string, readModels: readonly TabledModel[]): Promise<void> {
  // Migrations run on their own connections, so the lock must belong to a session and not to a transaction.
  const client = new Client({ connectionString: url, application_name: 'atelier-migrate' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtextextended('atelier.migrate.read-store', 0))`);
    await migrateSchema(client, url, 'read_store', controlMigrations);
    for (const environment of environments) {
      await migrateSchema(client, url, environment, environmentMigrations);
      await client.query('begin');
      const changed = await alignTables(client, environment, readModels);
      await markKnownFolds(
        client,
        environment,
        readModels.filter(({ name }) => !changed.has(name)),
      );
      await client.query('commit');
    }
  } finally {
    // The end of the session rolls back what was not committed.
    await client.end();
  }
}

/**
 * Rows that earlier releases folded before marks existed equal this release's rows if the columns are the same.
 * If a read model has grown, they equal the rows of the releases before its growth. Rows that earlier releases
 * fold from now on lie beyond the mark.
 */
async function markKnownFolds(
  client: Client,
  environment: Environment,
  unchanged: readonly TabledModel[],
): Promise<void> {
  await client.query(
    `update read_store.projections known
      set folded_to = jsonb_build_object(model.shape, known.position::text)
      from unnest($2::text[], $3::integer[], $4::text[]) as model (name, version, shape)
      where known.environment = $1 and known.name = model.name and known.version = model.version
        and known.position is not null and known.folded_to = '{}'`,
    [
      environment,
      unchanged.map(({ name }) => name),
      unchanged.map(({ version }) => version),
      unchanged.map(shapeBeforeGrowth),
    ],
  );
}

async function migrateSchema(
  client: Client,
  url: string,
  schema: DataSourceSettings['schema'],
  migrations: (new () => MigrationInterface)[],
): Promise<void> {
  await client.query(`create schema if not exists ${schema}`);
  const dataSource = createDataSource({ url, schema, migrations, poolSize: 1 });
  await dataSource.initialize();
  try {
    await dataSource.runMigrations();
  } finally {
    await dataSource.destroy();
  }
}
