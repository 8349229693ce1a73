import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables of one environment that no history rebuilds: answers kept for retries, and how far each process came. */
export class CreateOperationalTables1790000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
      )`);
    await runner.query(`create index idempotency_keys_by_age on idempotency_keys (created_at)`);
    await runner.query(`
      create table process_checkpoints (
        process    text primary key,
        position   bigint,
        epoch      bigint not null default 0,
        updated_at timestamptz not null default now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table process_checkpoints, idempotency_keys`);
  }
}
