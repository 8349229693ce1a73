import { Client } from 'pg';
import type { MigrationInterface } from 'typeorm';
import { environments } from '#domain/streams.js';
import { createDataSource, type DataSourceSettings } from './data-source.js';
import { AddBatches1790000000030 } from './migrations/add-batches.js';
import { AddKeyRetirement1790000000021 } from './migrations/add-key-retirement.js';
import { CreateControlTables1790000000000 } from './migrations/create-control-tables.js';
import { CreateOperationalTables1790000000002 } from './migrations/create-operational-tables.js';
import { CreatePresetAndCatalogModels1790000000010 } from './migrations/create-preset-and-catalog-models.js';
import { CreateRateLimits1790000000020 } from './migrations/create-rate-limits.js';
import { CreateReadModels1790000000001 } from './migrations/create-read-models.js';

const controlMigrations = [CreateControlTables1790000000000, CreateRateLimits1790000000020];
const environmentMigrations = [
  CreateReadModels1790000000001,
  CreateOperationalTables1790000000002,
  CreatePresetAndCatalogModels1790000000010,
  AddKeyRetirement1790000000021,
  AddBatches1790000000030,
];

/**
 * Brings the schemas `read_store`, `live` and `test` up to date. Idempotent; of several processes that start at once,
 * one does the work and the others wait for it.
 */
export async function migrateReadStore(url: string): Promise<void> {
  // Migrations run on connections of their own, so the lock has to be one of a session, not of a transaction.
  const client = new Client({ connectionString: url, application_name: 'atelier-migrate' });
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtextextended('atelier.migrate.read-store', 0))`);
    await migrateSchema(client, url, 'read_store', controlMigrations);
    for (const environment of environments)
      await migrateSchema(client, url, environment, environmentMigrations);
  } finally {
    await client.end();
  }
}

async function migrateSchema(
  client: Client,
  url: string,
  schema: DataSourceSettings['schema'],
  migrations: (new () => MigrationInterface)[],
): Promise<void> {
  await client.query(`create schema if not exists ${schema}`);
  const dataSource = createDataSource({ url, schema, migrations, poolSize: 1 });
  await dataSource.initialize();
  try {
    await dataSource.runMigrations();
  } finally {
    await dataSource.destroy();
  }
}
