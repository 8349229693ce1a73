import pg from 'pg';
import { DataSource, type MigrationInterface } from 'typeorm';
import type { Environment } from '#domain/streams.js';
import { surviveItsEnd } from '#platform/postgres.js';
import { SnakeNamingStrategy } from './entity-table.js';
import type { EntityClass } from './read-model.js';

/** The part of a connection or a pool that queries need. */
export interface Queries {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

export interface DataSourceSettings {
  readonly url: string;
  /** The schema of all tables that are read through it: an environment, or `read_store`. */
  readonly schema: Environment | 'read_store';
  readonly entities?: readonly EntityClass[];
  readonly migrations?: readonly (new () => MigrationInterface)[];
  /** Connections kept at most. Default 10. */
  readonly poolSize?: number;
}

/**
 * Longer than the pauses of housekeeping, because a new connection costs some 20 ms of CPU. An idle one costs 2
 * MB.
 */
export const idleTimeoutMillis = 60_000;

/**
 * A TypeORM data source bound to one schema, not yet connected (`initialize()` does that). The environment is a
 * property of the connection and not of a query, so that no reader can forget it. Only migrations make tables.
 */
export function createDataSource(settings: DataSourceSettings): DataSource {
  const { url, schema, entities = [], migrations = [], poolSize = 10 } = settings;
  return new DataSource({
    type: 'postgres',
    // TypeORM would load it by name: in a bundled program a second copy, whose errors are of another class.
    driver: pg,
    url,
    schema,
    applicationName: `atelier-read-${schema}`,
    entities: [...entities],
    migrations: [...migrations],
    migrationsTableName: 'schema_migrations',
    migrationsTransactionMode: 'each',
    namingStrategy: new SnakeNamingStrategy(),
    synchronize: false,
    logging: false,
    installExtensions: false,
    poolSize,
    connectTimeoutMS: 5_000,
    extra: { options: `-c search_path=${schema}`, idleTimeoutMillis, onConnect: surviveItsEnd },
  });
}
