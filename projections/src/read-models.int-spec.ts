import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { environments } from '#domain/streams.js';
import { createDataSource } from '#read-store/data-source.js';
import { SnakeNamingStrategy } from '#read-store/naming-strategy.js';
import { ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';
import { readModelEntities, readModels } from './read-models.js';

/** Reads the entities as descriptions of the tables behind the views. */
class FirstGeneration extends SnakeNamingStrategy {
  override tableName(targetName: string, userSpecifiedName: string | undefined): string {
    return `${super.tableName(targetName, userSpecifiedName)}_g1`;
  }
}

let fixture: ReadStoreFixture;

beforeAll(async () => {
  fixture = await ReadStoreFixture.create();
});

afterAll(() => fixture.dispose());

describe('migrations and entities', () => {
  it.each(environments)('agree on tables, columns and indexes in %s', async (schema) => {
    const namingStrategy = new FirstGeneration();
    const dataSource = createDataSource({
      url: fixture.url,
      schema,
      entities: readModelEntities,
      namingStrategy,
    });
    await dataSource.initialize();
    const differences = await dataSource.driver.createSchemaBuilder().log();
    await dataSource.destroy();
    expect(differences.upQueries.map(({ query }) => query)).toEqual([]);
  });

  it.each(environments)('agree on which rows a partial index holds in %s', async (schema) => {
    const dataSource = createDataSource({ url: fixture.url, schema, entities: readModelEntities });
    await dataSource.initialize();
    const declared = dataSource.entityMetadatas
      .flatMap((entity) => entity.indices)
      .map(({ name, where }) => [name, where ?? null]);
    await dataSource.destroy();
    // PostgreSQL gives the condition back in brackets and with the types of its constants.
    const { rows } = await fixture.sql.query<{ name: string; where: string | null }>(
      `select i.indexrelid::regclass::text as name,
          replace(btrim(pg_get_expr(i.indpred, i.indrelid), '()'), '::text', '') as where
        from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = $1 and c.relname like '%\\_g1' and not i.indisprimary`,
      [schema],
    );
    const made = rows.map(({ name, where }) => [name.replace(/^\w+\./, ''), where]);
    expect(Object.fromEntries(made)).toEqual(Object.fromEntries(declared));
  });

  it.each(environments)('agree on the views in %s', async (schema) => {
    const dataSource = createDataSource({ url: fixture.url, schema, entities: readModelEntities });
    await dataSource.initialize();
    for (const { name, entity } of readModels) {
      const metadata = dataSource.getMetadata(entity);
      expect(metadata.tableName).toBe(name);
      const { rows } = await fixture.sql.query<{ column: string; type: string }>(
        `select column_name as column, data_type as type from information_schema.columns
          where table_schema = $1 and table_name = $2 order by ordinal_position`,
        [schema, name],
      );
      expect(rows.map(({ column }) => column)).toEqual(
        metadata.columns.map(({ databaseName }) => databaseName),
      );
    }
    await dataSource.destroy();
  });

  it('give each read model a name and a table of its own', () => {
    expect(new Set(readModels.map(({ name }) => name)).size).toBe(readModels.length);
    expect(readModels.map(({ name }) => name)).toEqual([
      'jobs',
      'timeline',
      'usage',
      'ledger',
      'renders',
      'keys',
      'assets',
      'presets',
      'catalog',
    ]);
  });
});
