import type pg from 'pg';
import { onlyRow } from '#platform/postgres.js';
import { onClient } from './connection.js';

/** The schema of the log. A database has one log. */
export const logSchema = 'event_store';

/** As SQL text names it. */
export const schemaInSql = `"${logSchema}"`;

/** The schema of the key store. It may also be in a database of its own. */
export const keysSchema = 'data_keys';

export const keysInSql = `"${keysSchema}"`;

/** The channel on which appends notify and subscriptions listen. */
export const commitChannel = `${logSchema}_appended`;

/** Several processes may migrate at the same time. This lock makes them do it one by one. */
const migrationLock = 4_711_160_301n;

/**
 * Brings the schema to the newest version. Idempotent; safe to call from every process at start. Each version
 * is applied once, in order, in its own transaction. Only add versions to the list; never change one.
 */
export async function migrateEventStore(pool: pg.Pool): Promise<void> {
  await onClient(pool, async (client) => {
    await client.query('begin');
    try {
      await client.query('select pg_advisory_xact_lock($1)', [migrationLock]);
      await client.query(`create schema if not exists ${schemaInSql}`);
      await client.query(
        `create table if not exists ${schemaInSql}.migrations (version int primary key, applied_at timestamptz not null default now())`,
      );
      const { rows } = await client.query<{ version: number }>(
        `select coalesce(max(version), 0) as version from ${schemaInSql}.migrations`,
      );
      const { version: applied } = onlyRow({ rows });
      for (const [version, statements] of migrations.entries()) {
        if (version < applied) continue;
        await client.query(statements);
        await client.query(`insert into ${schemaInSql}.migrations (version) values ($1)`, [version + 1]);
      }
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  });
}

/**
 * Version 1. Names are compared byte by byte (`collate "C"`), like in every other store. The type is `json` and
 * not `jsonb`, because an event has to come back as it was written: jsonb reorders keys and refuses \u0000. It
 * is stored without compression, so that the size of a page is known without unpacking it.
 *
 * The row of `head` makes positions gap-free in commit order. `append_batch` locks it first and holds it until
 * the commit is visible. So commits happen one after the other, and a rollback takes its positions back with
 * it.
 */
const logTables = `
create table ${schemaInSql}.events (
  position bigint primary key,
  revision bigint not null,
  id uuid not null,
  stream text collate "C" not null,
  type text collate "C" not null,
  data json not null,
  metadata json not null,
  constraint events_stream_revision unique (stream, revision),
  constraint events_id unique (id)
);
alter table ${schemaInSql}.events alter column data set storage external, alter column metadata set storage external;

create table ${schemaInSql}.head (
  position bigint not null,
  single boolean primary key default true check (single)
) with (fillfactor = 10);
insert into ${schemaInSql}.head (position) values (0);

create table ${schemaInSql}.snapshots (
  stream text collate "C" not null,
  fold_version int not null,
  revision bigint not null,
  state json not null,
  saved_at timestamptz not null default now(),
  primary key (stream, fold_version)
);

create function ${schemaInSql}.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the event log is append-only: % of %.% is refused', tg_op, tg_table_schema, tg_table_name
    using errcode = 'restrict_violation';
end $$;
create trigger append_only before update or delete or truncate on ${schemaInSql}.events
  for each statement execute function ${schemaInSql}.refuse_change();
`;

const appendFunction = `
-- Appends a batch in which a stream that is written occurs once. Per append: its stream, the revision that it expects
-- (-1: no stream, -2: any), and its group: appends of one group happen together or not at all. Per event: which append it belongs to and its place there, both counted from 1.
-- Returns the head before the batch and each stream's revision before it (-1: no stream): from these the caller
-- derives every verdict, revision and position, because events are numbered in the order in which they are given.
-- One plan serves all batch sizes: planning anew for each, which is the default, takes half of a small batch's time.
create function ${schemaInSql}.append_batch(
  in streams text[], in expected bigint[], in together int[],
  in event_append int[], in event_place int[], in event_stream text[],
  in event_id uuid[], in event_type text[], in event_data json[], in event_metadata json[],
  out base bigint, out actual bigint[]
) language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  accepted boolean[];
  appended bigint;
begin
  select h.position into strict base from ${schemaInSql}.head h for update;

  select array_agg(judged.revision order by judged.n), array_agg(judged.accepted order by judged.n)
    into actual, accepted
    from (
      select a.n, found.revision,
          bool_and(a.expected in (-2, found.revision)) over (partition by a.together) as accepted
        from unnest(streams, expected, together) with ordinality as a (stream, expected, together, n)
        cross join lateral (
          select coalesce((
            select e.revision from ${schemaInSql}.events e where e.stream = a.stream order by e.revision desc limit 1
          ), -1) as revision
        ) as found
    ) as judged;

  insert into ${schemaInSql}.events (position, revision, id, stream, type, data, metadata)
  select base + row_number() over (order by f.n), actual[f.append] + f.place, f.id, f.stream, f.type, f.data, f.metadata
    from unnest(event_append, event_place, event_stream, event_id, event_type, event_data, event_metadata)
      with ordinality as f (append, place, stream, id, type, data, metadata, n)
   where accepted[f.append];
  get diagnostics appended = row_count;

  if appended > 0 then
    update ${schemaInSql}.head set position = base + appended;
    perform pg_notify('${commitChannel}', (base + appended)::text);
  end if;
end $$;
`;

/** A dump includes the name. A copy of the log into another store makes a new name. */
const identityTable = `
create table ${schemaInSql}.identity (
  id uuid not null default gen_random_uuid(),
  single boolean primary key default true check (single)
);
insert into ${schemaInSql}.identity default values;
`;

/**
 * Encrypted keys of the words in events. They are in a schema of their own, so that a dump can leave them out. The row
 * of a destroyed key stays: without it, its events would count as unreadable and not as erased.
 */
const keysTable = `
create schema if not exists ${keysInSql};
create table if not exists ${keysInSql}.keys (
  id uuid primary key,
  environment text collate "C" not null,
  tenant text collate "C" not null,
  wrapped bytea,
  master text,
  made_at timestamptz not null default now(),
  destroyed_at timestamptz,
  constraint keys_wrapped_or_destroyed check ((wrapped is null) = (destroyed_at is not null) and (wrapped is null) = (master is null))
);
create unique index if not exists keys_one_of_owner on ${keysInSql}.keys (environment, tenant) where destroyed_at is null;
`;

/**
 * Sheets of keys: the key of one stream is at one place of one sheet. They are not in `keys`, because a process of an
 * earlier release would take one for the one key of its owner.
 */
const sheetsTable = `
create table if not exists ${keysInSql}.sheets (
  id uuid primary key,
  environment text collate "C" not null,
  tenant text collate "C" not null,
  wrapped bytea,
  master text,
  made_at timestamptz not null default now(),
  destroyed_at timestamptz,
  constraint sheets_wrapped_or_destroyed check ((wrapped is null) = (destroyed_at is not null) and (wrapped is null) = (master is null))
);
create index if not exists sheets_of_owner on ${keysInSql}.sheets (environment, tenant) where destroyed_at is null;
`;

/** Makes the key store in a database of its own. Idempotent. */
export async function migrateKeyStore(pool: pg.Pool): Promise<void> {
  await onClient(pool, async (client) => {
    // A text of several statements is one transaction.
    await client.query(`select pg_advisory_xact_lock(${migrationLock}); ${keysTable} ${sheetsTable}`);
  });
}

const migrations = [
  logTables,
  // An older function with fewer parameters stays, for processes of the previous release that still run.
  appendFunction,
  identityTable,
  keysTable,
  sheetsTable,
];
