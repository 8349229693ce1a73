import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The buckets of all credentials, of both environments: keys are unique across them. Unlogged, because what a crash of
 * the server loses is a minute's grace; with room on each page, because every request updates a row in place.
 */
export class CreateRateLimits1790000000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create unlogged table rate_limits (
        credential text primary key,
        level      double precision not null,
        poured_at  timestamptz not null,
        passed     boolean not null
      ) with (fillfactor = 50)`);
    await runner.query(`
      comment on column rate_limits.level is
        'Requests in the bucket at poured_at; it drains at the limit, see docs/adr/0009-rate-limit-stores.md'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table rate_limits`);
  }
}
