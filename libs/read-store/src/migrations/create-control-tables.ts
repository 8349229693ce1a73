import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The schema `read_store`: what the projection runners of all environments know about themselves. */
export class CreateControlTables1790000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
      )`);
    await runner.query(`
      comment on column projections.position is
        'The fold has seen everything up to and including this position of the log; null: nothing yet'`);
    await runner.query(`
      create table stream_revisions (
        consumer text not null,
        stream   text not null,
        revision bigint not null,
        primary key (consumer, stream)
      ) with (fillfactor = 85)`);
    await runner.query(`
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
      )`);
    await runner.query(`
      comment on column parked_events.error is
        'Why the first event of its stream was parked; null for those that only wait behind it'`);
    await runner.query(`
      create function require(condition boolean, complaint text) returns void language plpgsql as $$
      begin
        if condition is not true then
          raise exception '%', complaint using errcode = 'AT001';
        end if;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function require(boolean, text)`);
    await runner.query(`drop table parked_events, stream_revisions, projections`);
  }
}
