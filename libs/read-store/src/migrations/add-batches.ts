import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The parent of a batch has no charge, and its children have an order. No history older than this has a batch in it, so
 * the rows of version 1 of the fold are those of version 2, and the read model goes on where it is.
 */
export class AddBatches1790000000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [{ schema }] = (await runner.query('select current_schema() as schema')) as [{ schema: string }];
    const tables = (await runner.query(
      `select table_name as name from information_schema.tables
        where table_schema = current_schema() and table_name ~ '^jobs_g[0-9]+$'`,
    )) as { name: string }[];
    for (const { name } of tables) {
      await runner.query(`alter table ${name} alter column charge_id drop not null`);
      await runner.query(`alter table ${name} add column child_index integer`);
    }
    const [{ definition }] = (await runner.query(
      `select pg_get_viewdef('jobs'::regclass) as definition`,
    )) as [{ definition: string }];
    const source = /from\s+(?:\w+\.)?(jobs_g\d+)/i.exec(definition)?.[1];
    if (source === undefined) throw new Error(`the view jobs reads no generation of its own: ${definition}`);
    await runner.query(`create or replace view jobs as select * from ${source}`);
    await runner.query(
      `update read_store.projections set version = 2 where environment = $1 and name = 'jobs' and version = 1`,
      [schema],
    );
  }

  /** A parent has no charge to go back to: going back is a rebuild of the read model. */
  down(): Promise<void> {
    return Promise.reject(new Error('batches cannot be taken back'));
  }
}
