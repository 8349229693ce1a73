import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The read models of presets and of the catalogue, each a first generation and the view over it. */
export class CreatePresetAndCatalogModels1790000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table presets_g1 (
        preset_id    text primary key,
        kind         text not null,
        label        text not null,
        storage_key  text not null,
        published_at timestamptz not null,
        retired_at   timestamptz
      )`);
    await runner.query(`create index presets_by_kind on presets_g1 (kind, preset_id)`);
    await runner.query(`
      create table catalog_g1 (
        asset_id     text primary key,
        tenant       text not null,
        resource     text not null,
        kind         text not null,
        label        text not null,
        storage_key  text not null,
        width        integer not null,
        height       integer not null,
        attributes   jsonb not null,
        job_id       text not null,
        created_at   timestamptz not null
      )`);
    await runner.query(
      `create index catalog_by_tenant on catalog_g1 (tenant, resource, created_at, asset_id)`,
    );
    for (const name of names) await runner.query(`create view ${name} as select * from ${name}_g1`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of names) {
      await runner.query(`drop view ${name}`);
      await runner.query(`drop table ${name}_g1`);
    }
  }
}

const names = ['presets', 'catalog'];
