-- The schemas of a read store whose read models were made by migrations, without rows, as those migrations left them.
-- Kept to show that such a database is carried over; not to be changed any more.

create table parked_events (
  environment text not null,
  name text not null,
  generation integer not null,
  stream text not null,
  revision bigint not null,
  position bigint not null,
  event_id uuid not null,
  event_type text not null,
  error text,
  parked_at timestamptz not null default now(),
  primary key (environment, name, generation, stream, revision)
);
comment on column parked_events.error is 'Why the first event of its stream was parked; null for those that only wait behind it';
create table projections (
  environment text not null,
  name text not null,
  generation integer not null,
  version integer not null,
  position bigint,
  epoch bigint not null default 0,
  state text not null,
  halted_because text,
  updated_at timestamptz not null default now(),
  primary key (environment, name, generation),
  check (state in ('live', 'halted', 'building', 'retired'))
);
comment on column projections.position is 'The fold has seen everything up to and including this position of the log; null: nothing yet';
create unlogged table rate_limits (
  credential text not null,
  level double precision not null,
  poured_at timestamptz not null,
  passed boolean not null,
  primary key (credential)
) with (fillfactor=50);
comment on column rate_limits.level is 'Requests in the bucket at poured_at; it drains at the limit, see docs/adr/0009-rate-limit-stores.md';
create table schema_migrations (
  id serial not null,
  timestamp bigint not null,
  name character varying not null,
  primary key (id)
);
create table stream_revisions (
  consumer text not null,
  stream text not null,
  revision bigint not null,
  primary key (consumer, stream)
) with (fillfactor=85);
insert into schema_migrations (timestamp, name) values (1790000000000, 'CreateControlTables1790000000000');
insert into schema_migrations (timestamp, name) values (1790000000020, 'CreateRateLimits1790000000020');
create function require(condition boolean, complaint text) returns void language plpgsql as $function$
      begin
        if condition is not true then
          raise exception '%', complaint using errcode = 'AT001';
        end if;
      end $function$;

-- Each environment

create table assets_g1 (
  asset_id text not null,
  tenant text not null,
  storage_key text not null,
  content_type text not null,
  width integer not null,
  height integer not null,
  size_bytes integer not null,
  sha256 text not null,
  origin text not null,
  job_id text,
  created_at timestamptz not null,
  primary key (asset_id)
);
create index assets_by_storage_key on assets_g1 (storage_key);
create table catalog_g1 (
  asset_id text not null,
  tenant text not null,
  resource text not null,
  kind text not null,
  label text not null,
  storage_key text not null,
  width integer not null,
  height integer not null,
  attributes jsonb not null,
  job_id text not null,
  created_at timestamptz not null,
  primary key (asset_id)
);
create index catalog_by_tenant on catalog_g1 (tenant, resource, created_at, asset_id);
create table idempotency_keys (
  tenant text not null,
  endpoint text not null,
  key text not null,
  body_hash text not null,
  request_id text not null,
  job_id text not null,
  status text not null,
  response_status integer,
  response_headers json,
  response_body json,
  locked_until timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (tenant, endpoint, key),
  check (status in ('running', 'answered'))
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
create table jobs_g1 (
  public_id text not null,
  tenant text not null,
  job_type text not null,
  operation text not null,
  status text not null,
  credits_cost integer not null,
  request_id text not null,
  charge_id text,
  parent_job_id text,
  display_name text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  result jsonb,
  error jsonb,
  latest_seq integer not null,
  latest_event jsonb not null,
  revision integer not null,
  child_index integer,
  primary key (public_id)
) with (fillfactor=75);
create index jobs_by_tenant on jobs_g1 (tenant, created_at, public_id);
create index jobs_by_tenant_and_status on jobs_g1 (tenant, status, created_at, public_id);
create index jobs_by_parent on jobs_g1 (parent_job_id, public_id) where (parent_job_id is not null);
create table keys_g1 (
  key_id text not null,
  tenant text not null,
  capabilities jsonb not null,
  label text not null,
  issued_at timestamptz not null,
  revoked_at timestamptz,
  retires_at timestamptz,
  primary key (key_id)
);
create index keys_by_tenant on keys_g1 (tenant, issued_at, key_id);
create table ledger_g1 (
  id text not null,
  tenant text not null,
  kind text not null,
  label text not null,
  amount integer not null,
  credits_delta integer not null,
  status text not null,
  job_id text,
  created_at timestamptz not null,
  resolved_at timestamptz,
  revision integer not null,
  primary key (id)
) with (fillfactor=75);
create index ledger_by_tenant on ledger_g1 (tenant, revision);
create index ledger_open_charges on ledger_g1 (created_at, id) where (status = 'PENDING');
create table presets_g1 (
  preset_id text not null,
  kind text not null,
  label text not null,
  storage_key text not null,
  published_at timestamptz not null,
  retired_at timestamptz,
  primary key (preset_id)
);
create index presets_by_kind on presets_g1 (kind, preset_id);
create table process_checkpoints (
  process text not null,
  position bigint,
  epoch bigint not null default 0,
  updated_at timestamptz not null default now(),
  primary key (process)
);
create table renders_g1 (
  public_id text not null,
  tenant text not null,
  job_type text not null,
  label text,
  kind text,
  width integer,
  height integer,
  storage_key text,
  asset_id text,
  content_type text,
  sha256 text,
  created_at timestamptz,
  primary key (public_id)
) with (fillfactor=75);
create index renders_by_tenant on renders_g1 (tenant, created_at, public_id) where (storage_key is not null);
create table schema_migrations (
  id serial not null,
  timestamp bigint not null,
  name character varying not null,
  primary key (id)
);
create table timeline_g1 (
  job_id text not null,
  seq integer not null,
  tenant text not null,
  event_type text not null,
  visibility text not null,
  stage text not null,
  message text not null,
  artifacts jsonb not null,
  extra jsonb not null,
  created_at timestamptz not null,
  primary key (job_id, seq)
);
create table usage_g1 (
  request_id text not null,
  tenant text not null,
  endpoint text not null,
  method text not null,
  status text not null,
  http_status integer,
  credits_charged integer not null,
  credits_refunded integer not null,
  job_id text,
  created_at timestamptz not null,
  submitted_at timestamptz,
  resolved_at timestamptz,
  latency_ms integer,
  error_code text,
  error_message text,
  open_charges integer not null,
  settled_charges integer not null,
  primary key (request_id)
) with (fillfactor=75);
create index usage_by_tenant on usage_g1 (tenant, created_at, request_id);
create view assets as select * from assets_g1;
create view catalog as select * from catalog_g1;
create view jobs as select * from jobs_g1;
create view keys as select * from keys_g1;
create view ledger as select * from ledger_g1;
create view presets as select * from presets_g1;
create view renders as select * from renders_g1;
create view timeline as select * from timeline_g1;
create view usage as select * from usage_g1;
insert into schema_migrations (timestamp, name) values (1790000000001, 'CreateReadModels1790000000001');
insert into schema_migrations (timestamp, name) values (1790000000002, 'CreateOperationalTables1790000000002');
insert into schema_migrations (timestamp, name) values (1790000000010, 'CreatePresetAndCatalogModels1790000000010');
insert into schema_migrations (timestamp, name) values (1790000000021, 'AddKeyRetirement1790000000021');
insert into schema_migrations (timestamp, name) values (1790000000030, 'AddBatches1790000000030');
