import { Client } from 'pg';
import type { MigrationInterface } from 'typeorm';
import { environments } from '#domain/streams.js';
import { createDataSource, type DataSourceSettings } from './data-source.js';
import {
  CarryReadModelsOver1790000000040,
  CreateControlTables1790000000000,
  CreateOperationalTables1790000000002,
  CreateRateLimits1790000000020,
  NameGenerationStates1790000000041,
} from './migrations.js';
import { alignTables, type TabledModel } from './read-model-tables.js';

const controlMigrations = [
  CreateControlTables1790000000000,
  CreateRateLimits1790000000020,
  NameGenerationStates1790000000041,
];
const environmentMigrations = [CreateOperationalTables1790000000002, CarryReadModelsOver1790000000040];

/**
 * Brings the schemas `read_store`, `live` and `test` up to date, the tables of these read models included. Idempotent;
 * of several processes that start at once, one does the work and the others wait for it.
 */
export async function migrateReadStore(url: string, readModels: readonly TabledModel[]): Promise<void> {
  // Migrations run on connections of their own, so the lock has to be one of a session, not of a transaction.
  const client = new Client({ connectionString: url, application_name: 'atelier-migrate' });
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtextextended('atelier.migrate.read-store', 0))`);
    await migrateSchema(client, url, 'read_store', controlMigrations);
    for (const environment of environments) {
      await migrateSchema(client, url, environment, environmentMigrations);
      await client.query('begin');
      await alignTables(client, environment, readModels);
      await client.query('commit');
    }
  } finally {
    // What was not committed is rolled back with the session.
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
