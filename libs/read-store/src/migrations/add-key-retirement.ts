import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a rotated key stops working. No history older than this column has the event behind it, so the rows of version 1
 * of the fold are those of version 2, and the read model goes on where it is instead of being rebuilt.
 */
export class AddKeyRetirement1790000000021 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [{ schema }] = (await runner.query('select current_schema() as schema')) as [{ schema: string }];
    const tables = (await runner.query(
      `select table_name as name from information_schema.tables
        where table_schema = current_schema() and table_name ~ '^keys_g[0-9]+$'`,
    )) as { name: string }[];
    for (const { name } of tables)
      await runner.query(`alter table ${name} add column retires_at timestamptz`);
    const [{ definition }] = (await runner.query(
      `select pg_get_viewdef('keys'::regclass) as definition`,
    )) as [{ definition: string }];
    const source = /from\s+(?:\w+\.)?(keys_g\d+)/i.exec(definition)?.[1];
    if (source === undefined) throw new Error(`the view keys reads no generation of its own: ${definition}`);
    await runner.query(`create or replace view keys as select * from ${source}`);
    await runner.query(
      `update read_store.projections set version = 2 where environment = $1 and name = 'keys' and version = 1`,
      [schema],
    );
  }

  /** The column may hold what only the events say beside it: going back is a rebuild of the read model. */
  down(): Promise<void> {
    return Promise.reject(new Error('the retirement of keys cannot be taken back'));
  }
}
