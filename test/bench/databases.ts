import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { prepareEventStore } from '#event-store/open-event-store.js';
import { testMasterKey, testSigningKey } from '../support/signing-key.js';
import { startEmbeddedPostgres } from '#platform/embedded-postgres.js';
import { newId } from '#platform/ids.js';
import { readModels } from '#projections/read-models.js';
import { migrateReadStore } from '#read-store/migrate.js';

/** The PostgreSQL server that a run has for itself. */
export interface BenchServer {
  readonly url: string;
  readonly pid: number;
}

/**
 * Does the work on a server of its own, with real disk flushes. Its folder is also the home of the roles that
 * `prepareAtelier` starts, and is removed in the end.
 */
export async function withServer(work: (server: BenchServer) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
  process.env['ATELIER_BENCH_HOME'] = home;
  const files = { dataDirectory: join(home, 'postgres'), logFile: join(home, 'postgres.log') };
  const server = await startEmbeddedPostgres(files);
  try {
    await work(server);
  } finally {
    await server.stop();
    await rm(home, { recursive: true, force: true });
  }
}

/**
 * Makes a new, empty database on this server and returns its URL. Nothing drops it: the server is thrown away
 * after the run.
 */
export async function createDatabase(serverUrl: string, prefix: string): Promise<string> {
  const name = `${prefix}_${newId().toLowerCase()}`;
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * A new database with the read models, and the store of the events beside it.
 * @param eventStore its URL; by default the events are in the same database
 */
export async function createInstallation(serverUrl: string, prefix: string, eventStore?: string) {
  const databaseUrl = await createDatabase(serverUrl, prefix);
  const urls = { databaseUrl, eventStoreUrl: eventStore ?? databaseUrl };
  await prepareEventStore(urls);
  await migrateReadStore(databaseUrl, readModels);
  return urls;
}

/** The settings of roles and of the operators' command on an installation. */
export function settingsOf(databaseUrl: string, eventStoreUrl = databaseUrl): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    EVENT_STORE_URL: eventStoreUrl,
    URL_SIGNING_SECRET: 'bench',
    ATELIER_SIGNING_KEY: testSigningKey,
    ATELIER_MASTER_KEY: testMasterKey,
  };
}
