import { Client } from 'pg';
import { newId } from '#platform/ids.js';

/** The PostgreSQL server that a run has for itself. */
export interface BenchServer {
  readonly url: string;
  readonly pid: number;
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
