/** The schemas that migrations make. The spec beside this file writes it, and says how. */
export const releaseCatalogue = `
data_keys | column | keys.destroyed_at | timestamp with time zone
data_keys | column | keys.environment | text collate C not null
data_keys | column | keys.id | uuid not null
data_keys | column | keys.made_at | timestamp with time zone not null default now()
data_keys | column | keys.master | text
data_keys | column | keys.tenant | text collate C not null
data_keys | column | keys.wrapped | bytea
data_keys | column | sheets.destroyed_at | timestamp with time zone
data_keys | column | sheets.environment | text collate C not null
data_keys | column | sheets.id | uuid not null
data_keys | column | sheets.made_at | timestamp with time zone not null default now()
data_keys | column | sheets.master | text
data_keys | column | sheets.tenant | text collate C not null
data_keys | column | sheets.wrapped | bytea
data_keys | constraint | keys.keys_pkey | PRIMARY KEY (id)
data_keys | constraint | keys.keys_wrapped_or_destroyed | CHECK ((((wrapped IS NULL) = (destroyed_at IS NOT NULL)) AND ((wrapped IS NULL) = (master IS NULL))))
data_keys | constraint | sheets.sheets_pkey | PRIMARY KEY (id)
data_keys | constraint | sheets.sheets_wrapped_or_destroyed | CHECK ((((wrapped IS NULL) = (destroyed_at IS NOT NULL)) AND ((wrapped IS NULL) = (master IS NULL))))
data_keys | index | keys.data_keys.keys_one_of_owner | CREATE UNIQUE INDEX keys_one_of_owner ON data_keys.keys USING btree (environment, tenant) WHERE (destroyed_at IS NULL)
data_keys | table | keys | table
data_keys | table | sheets | table
environment | column | bucket_pushes.attempts | integer not null default 0
environment | column | bucket_pushes.error | text
environment | column | bucket_pushes.failed_at | timestamp with time zone
environment | column | bucket_pushes.job_id | text not null
environment | column | bucket_pushes.next_attempt_at | timestamp with time zone
environment | column | bucket_pushes.pushed_at | timestamp with time zone
environment | column | bucket_pushes.queued_at | timestamp with time zone not null default now()
environment | column | bucket_pushes.round | integer not null default 0
environment | column | bucket_pushes.status | text not null default 'waiting'::text
environment | column | bucket_pushes.tenant | text not null
environment | column | idempotency_keys.body_hash | text not null
environment | column | idempotency_keys.created_at | timestamp with time zone not null default now()
environment | column | idempotency_keys.endpoint | text not null
environment | column | idempotency_keys.job_id | text not null
environment | column | idempotency_keys.key | text not null
environment | column | idempotency_keys.locked_until | timestamp with time zone not null
environment | column | idempotency_keys.request_id | text not null
environment | column | idempotency_keys.response_body | json
environment | column | idempotency_keys.response_headers | json
environment | column | idempotency_keys.response_status | integer
environment | column | idempotency_keys.status | text not null
environment | column | idempotency_keys.tenant | text not null
environment | column | process_checkpoints.epoch | bigint not null default 0
environment | column | process_checkpoints.event_id | uuid
environment | column | process_checkpoints.event_position | bigint
environment | column | process_checkpoints.halted_because | text
environment | column | process_checkpoints.position | bigint
environment | column | process_checkpoints.process | text not null
environment | column | process_checkpoints.updated_at | timestamp with time zone not null default now()
environment | column | schema_migrations.id | integer not null default nextval('environment.schema_migrations_id_seq'::regclass)
environment | column | schema_migrations.name | character varying not null
environment | column | schema_migrations.timestamp | bigint not null
environment | column | webhook_attempts.answer | text
environment | column | webhook_attempts.at | timestamp with time zone not null
environment | column | webhook_attempts.attempt | bigint not null identity
environment | column | webhook_attempts.delivery_id | text not null
environment | column | webhook_attempts.duration_ms | integer not null
environment | column | webhook_attempts.error | text
environment | column | webhook_attempts.status_code | integer
environment | column | webhook_deliveries.attempts | integer not null default 0
environment | column | webhook_deliveries.body | text not null
environment | column | webhook_deliveries.created_at | timestamp with time zone not null default now()
environment | column | webhook_deliveries.delivery_id | text not null
environment | column | webhook_deliveries.endpoint_id | text not null
environment | column | webhook_deliveries.mac | text
environment | column | webhook_deliveries.next_attempt_at | timestamp with time zone
environment | column | webhook_deliveries.occurred_at | timestamp with time zone not null
environment | column | webhook_deliveries.resent_at | timestamp with time zone
environment | column | webhook_deliveries.round | integer not null default 0
environment | column | webhook_deliveries.status | text not null default 'pending'::text
environment | column | webhook_deliveries.tenant | text not null
environment | column | webhook_deliveries.type | text not null
environment | column | webhook_health.endpoint_id | text not null
environment | column | webhook_health.failed_at | timestamp with time zone
environment | column | webhook_health.failing_since | timestamp with time zone
environment | constraint | bucket_pushes.bucket_pushes_pkey | PRIMARY KEY (job_id)
environment | constraint | bucket_pushes.bucket_pushes_status_check | CHECK ((status = ANY (ARRAY['waiting'::text, 'pushed'::text, 'failed'::text])))
environment | constraint | idempotency_keys.idempotency_keys_pkey | PRIMARY KEY (tenant, endpoint, key)
environment | constraint | idempotency_keys.idempotency_keys_status_check | CHECK ((status = ANY (ARRAY['running'::text, 'answered'::text])))
environment | constraint | process_checkpoints.process_checkpoints_pkey | PRIMARY KEY (process)
environment | constraint | schema_migrations.schema_migrations_pkey | PRIMARY KEY (id)
environment | constraint | webhook_attempts.webhook_attempts_delivery_id_fkey | FOREIGN KEY (delivery_id) REFERENCES environment.webhook_deliveries(delivery_id) ON DELETE CASCADE
environment | constraint | webhook_attempts.webhook_attempts_pkey | PRIMARY KEY (attempt)
environment | constraint | webhook_deliveries.webhook_deliveries_pkey | PRIMARY KEY (delivery_id)
environment | constraint | webhook_deliveries.webhook_deliveries_status_check | CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
environment | constraint | webhook_health.webhook_health_pkey | PRIMARY KEY (endpoint_id)
environment | table | bucket_pushes | table
environment | table | idempotency_keys | table
environment | table | process_checkpoints | table
environment | table | schema_migrations | table
environment | table | webhook_attempts | table
environment | table | webhook_deliveries | table
environment | table | webhook_health | table
event_store | column | events.data | json not null
event_store | column | events.id | uuid not null
event_store | column | events.metadata | json not null
event_store | column | events.position | bigint not null
event_store | column | events.revision | bigint not null
event_store | column | events.stream | text collate C not null
event_store | column | events.type | text collate C not null
event_store | column | head.position | bigint not null
event_store | column | head.single | boolean not null default true
event_store | column | identity.id | uuid not null default gen_random_uuid()
event_store | column | identity.single | boolean not null default true
event_store | column | migrations.applied_at | timestamp with time zone not null default now()
event_store | column | migrations.version | integer not null
event_store | column | snapshots.fold_version | integer not null
event_store | column | snapshots.revision | bigint not null
event_store | column | snapshots.saved_at | timestamp with time zone not null default now()
event_store | column | snapshots.state | json not null
event_store | column | snapshots.stream | text collate C not null
event_store | constraint | events.events_id | UNIQUE (id)
event_store | constraint | events.events_pkey | PRIMARY KEY ("position")
event_store | constraint | events.events_stream_revision | UNIQUE (stream, revision)
event_store | constraint | head.head_pkey | PRIMARY KEY (single)
event_store | constraint | head.head_single_check | CHECK (single)
event_store | constraint | identity.identity_pkey | PRIMARY KEY (single)
event_store | constraint | identity.identity_single_check | CHECK (single)
event_store | constraint | migrations.migrations_pkey | PRIMARY KEY (version)
event_store | constraint | snapshots.snapshots_pkey | PRIMARY KEY (stream, fold_version)
event_store | function | append_batch(streams text[], expected bigint[], together integer[], event_append integer[], event_place integer[], event_stream text[], event_id uuid[], event_type text[], event_data json[], event_metadata json[], OUT base bigint, OUT actual bigint[]) | f streams text[], expected bigint[], together integer[], event_append integer[], event_place integer[], event_stream text[], event_id uuid[], event_type text[], event_data json[], event_metadata json[], OUT base bigint, OUT actual bigint[] returns record plpgsql v {plan_cache_mode=force_generic_plan} 0778d3a033a26fdb10ccbd060fd99eb007b0582703207df71da45706de0ee246
event_store | function | refuse_change() | f  returns trigger plpgsql v 7420b3bfe835b1aa81b589825a234b954e768c59b2b9cbdfcfe1450e33771543
event_store | table | events | table
event_store | table | head | table
event_store | table | identity | table
event_store | table | migrations | table
event_store | table | snapshots | table
event_store | trigger | events.append_only | CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON event_store.events FOR EACH STATEMENT EXECUTE FUNCTION event_store.refuse_change()
pgboss | function | create_queue(queue_name text, options jsonb) | f queue_name text, options jsonb returns void plpgsql v 1a1e3065411b82b3c2966e2c9e3db5295894ea9e8df96ba5ca99c3ad056b4d54
pgboss | function | delete_queue(queue_name text) | f queue_name text returns void plpgsql v 7e727a172c70c3d5e66d347e611b6435f1679c9b662f41fb40cbad9a092f6d3a
pgboss | function | job_now() | f  returns timestamp with time zone sql s 0e1a7e861eb99c2818e90557be91c838a3f830e0e744eaa124404b83227ee8b1
pgboss | function | job_table_format(command text, table_name text) | f command text, table_name text returns text sql i d6babe6b02e8f16f4ecb4856ee307e45023198f68556acde6c5f9a8b6af51fb3
pgboss | function | job_table_run(command text, tbl_name text, queue_name text) | f command text, tbl_name text DEFAULT NULL::text, queue_name text DEFAULT NULL::text returns void plpgsql v ff6a13aaa9c4c94e2002064fc52fe41ca5224d8eda8ae923a897d27853457215
pgboss | function | job_table_run_async(command_name text, version integer, command text, tbl_name text, queue_name text) | f command_name text, version integer, command text, tbl_name text DEFAULT NULL::text, queue_name text DEFAULT NULL::text returns void plpgsql v 1fdd88529e1979f20d319b0d5feac3bff6950461956a5a11871405452a66b171
read_store | column | alert_messages.alert | text not null
read_store | column | alert_messages.attempts | integer not null default 0
read_store | column | alert_messages.body | text not null
read_store | column | alert_messages.channel | text not null
read_store | column | alert_messages.created_at | timestamp with time zone not null
read_store | column | alert_messages.error | text
read_store | column | alert_messages.host | text not null
read_store | column | alert_messages.message_id | text not null
read_store | column | alert_messages.next_attempt_at | timestamp with time zone not null
read_store | column | alerts.alert | text not null
read_store | column | alerts.details | jsonb not null
read_store | column | alerts.environment | text
read_store | column | alerts.gone_since | timestamp with time zone
read_store | column | alerts.since | timestamp with time zone not null
read_store | column | alerts.told_at | timestamp with time zone
read_store | column | alerts.what | text not null
read_store | column | checkpoint_log.identity | uuid
read_store | column | checkpoint_log.log | text not null
read_store | column | checkpoint_log.moved_at | timestamp with time zone not null default now()
read_store | column | checkpoint_log.single | boolean not null default true
read_store | column | parked_events.environment | text not null
read_store | column | parked_events.error | text
read_store | column | parked_events.event_id | uuid not null
read_store | column | parked_events.event_type | text not null
read_store | column | parked_events.generation | integer not null
read_store | column | parked_events.name | text not null
read_store | column | parked_events.parked_at | timestamp with time zone not null default now()
read_store | column | parked_events.position | bigint not null
read_store | column | parked_events.revision | bigint not null
read_store | column | parked_events.stream | text not null
read_store | column | projections.environment | text not null
read_store | column | projections.epoch | bigint not null default 0
read_store | column | projections.event_id | uuid
read_store | column | projections.event_position | bigint
read_store | column | projections.folded_to | jsonb not null default '{}'::jsonb
read_store | column | projections.generation | integer not null
read_store | column | projections.halted_because | text
read_store | column | projections.name | text not null
read_store | column | projections.position | bigint
read_store | column | projections.state | text not null
read_store | column | projections.updated_at | timestamp with time zone not null default now()
read_store | column | projections.version | integer not null
read_store | column | rate_limits.counted_at | double precision not null default 0
read_store | column | rate_limits.credential | text not null
read_store | column | rate_limits.level | double precision not null default 0
read_store | column | rate_limits.passed | boolean not null
read_store | column | rate_limits.poured_at | timestamp with time zone not null default now()
read_store | column | rate_limits.requests | integer[] not null default '{}'::integer[]
read_store | column | rate_limits.times | double precision[] not null default '{}'::double precision[]
read_store | column | schema_migrations.id | integer not null default nextval('read_store.schema_migrations_id_seq'::regclass)
read_store | column | schema_migrations.name | character varying not null
read_store | column | schema_migrations.timestamp | bigint not null
read_store | column | signs_of_life.host | text not null
read_store | column | signs_of_life.pid | integer not null
read_store | column | signs_of_life.process | text not null
read_store | column | signs_of_life.release | text not null
read_store | column | signs_of_life.role | text not null
read_store | column | signs_of_life.seen_at | timestamp with time zone not null default now()
read_store | column | signs_of_life.started_at | timestamp with time zone not null default now()
read_store | column | signs_of_life.started_mark | text
read_store | column | signs_of_life.troubles | jsonb not null default '{}'::jsonb
read_store | column | stream_revisions.consumer | text not null
read_store | column | stream_revisions.revision | bigint not null
read_store | column | stream_revisions.stream | text not null
read_store | constraint | alert_messages.alert_messages_pkey | PRIMARY KEY (channel, alert)
read_store | constraint | alerts.alerts_pkey | PRIMARY KEY (alert)
read_store | constraint | checkpoint_log.checkpoint_log_pkey | PRIMARY KEY (single)
read_store | constraint | checkpoint_log.checkpoint_log_single_check | CHECK (single)
read_store | constraint | parked_events.parked_events_pkey | PRIMARY KEY (environment, name, generation, stream, revision)
read_store | constraint | projections.projections_pkey | PRIMARY KEY (environment, name, generation)
read_store | constraint | projections.projections_state_check | CHECK ((state = ANY (ARRAY['live'::text, 'halted'::text, 'building'::text, 'comparing'::text, 'complete'::text, 'differing'::text, 'retired'::text])))
read_store | constraint | rate_limits.rate_limits_pkey | PRIMARY KEY (credential)
read_store | constraint | schema_migrations.schema_migrations_pkey | PRIMARY KEY (id)
read_store | constraint | signs_of_life.signs_of_life_pkey | PRIMARY KEY (process)
read_store | constraint | stream_revisions.stream_revisions_pkey | PRIMARY KEY (consumer, stream)
read_store | function | require(condition boolean, complaint text) | f condition boolean, complaint text returns void plpgsql v 14d057d45d6257939240cf3e8ff146e346389256855e256230745ea12689a8a1
read_store | table | alert_messages | table
read_store | table | alerts | table
read_store | table | checkpoint_log | table
read_store | table | parked_events | table
read_store | table | projections | table
read_store | table | rate_limits | table, unlogged
read_store | table | schema_migrations | table
read_store | table | signs_of_life | table, unlogged
read_store | table | stream_revisions | table
`;
