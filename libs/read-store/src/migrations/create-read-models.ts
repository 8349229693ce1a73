import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The read models of one environment. Each has its rows in a table of its first generation and a view of the plain
 * name over it, so that a rebuild can fill `{name}_g2` (`like {name}_g1 including all`) and replace the view.
 */
export class CreateReadModels1790000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...tables, ...indexes]) await runner.query(statement);
    for (const name of names) await runner.query(`create view ${name} as select * from ${name}_g1`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of names) {
      await runner.query(`drop view ${name}`);
      await runner.query(`drop table ${name}_g1`);
    }
  }
}

const names = ['jobs', 'timeline', 'usage', 'ledger', 'renders', 'keys', 'assets'];

// Rows that are updated after they were inserted get room on their page, so that most updates touch no index.
const tables = [
  `create table jobs_g1 (
    public_id     text primary key,
    tenant        text not null,
    job_type      text not null,
    operation     text not null,
    status        text not null,
    credits_cost  integer not null,
    request_id    text not null,
    charge_id     text not null,
    parent_job_id text,
    display_name  text not null,
    created_at    timestamptz not null,
    started_at    timestamptz,
    finished_at   timestamptz,
    result        jsonb,
    error         jsonb,
    latest_seq    integer not null,
    latest_event  jsonb not null,
    revision      integer not null
  ) with (fillfactor = 75)`,
  `create table timeline_g1 (
    job_id     text not null,
    seq        integer not null,
    tenant     text not null,
    event_type text not null,
    visibility text not null,
    stage      text not null,
    message    text not null,
    artifacts  jsonb not null,
    extra      jsonb not null,
    created_at timestamptz not null,
    primary key (job_id, seq)
  )`,
  `create table usage_g1 (
    request_id       text primary key,
    tenant           text not null,
    endpoint         text not null,
    method           text not null,
    status           text not null,
    http_status      integer,
    credits_charged  integer not null,
    credits_refunded integer not null,
    job_id           text,
    created_at       timestamptz not null,
    submitted_at     timestamptz,
    resolved_at      timestamptz,
    latency_ms       integer,
    error_code       text,
    error_message    text,
    open_charges     integer not null,
    settled_charges  integer not null
  ) with (fillfactor = 75)`,
  `create table ledger_g1 (
    id            text primary key,
    tenant        text not null,
    kind          text not null,
    label         text not null,
    amount        integer not null,
    credits_delta integer not null,
    status        text not null,
    job_id        text,
    created_at    timestamptz not null,
    resolved_at   timestamptz,
    revision      integer not null
  ) with (fillfactor = 75)`,
  `create table renders_g1 (
    public_id    text primary key,
    tenant       text not null,
    job_type     text not null,
    label        text,
    kind         text,
    width        integer,
    height       integer,
    storage_key  text,
    asset_id     text,
    content_type text,
    sha256       text,
    created_at   timestamptz
  ) with (fillfactor = 75)`,
  `create table keys_g1 (
    key_id       text primary key,
    tenant       text not null,
    capabilities jsonb not null,
    label        text not null,
    issued_at    timestamptz not null,
    revoked_at   timestamptz
  )`,
  `create table assets_g1 (
    asset_id     text primary key,
    tenant       text not null,
    storage_key  text not null,
    content_type text not null,
    width        integer not null,
    height       integer not null,
    size_bytes   integer not null,
    sha256       text not null,
    origin       text not null,
    job_id       text,
    created_at   timestamptz not null
  )`,
];

const indexes = [
  `create index jobs_by_tenant on jobs_g1 (tenant, created_at, public_id)`,
  `create index jobs_by_tenant_and_status on jobs_g1 (tenant, status, created_at, public_id)`,
  `create index jobs_by_parent on jobs_g1 (parent_job_id, public_id) where parent_job_id is not null`,
  `create index usage_by_tenant on usage_g1 (tenant, created_at, request_id)`,
  `create index ledger_by_tenant on ledger_g1 (tenant, revision)`,
  `create index ledger_open_charges on ledger_g1 (created_at, id) where status = 'PENDING'`,
  `create index renders_by_tenant on renders_g1 (tenant, created_at, public_id) where storage_key is not null`,
  `create index keys_by_tenant on keys_g1 (tenant, issued_at, key_id)`,
  `create index assets_by_storage_key on assets_g1 (storage_key)`,
];
