import pg from 'pg';
import { within } from './calls.js';
import { isEventStoreDbUrl, parseConnectionString } from './eventstoredb/connection-string.js';
import { GuardedClient } from './eventstoredb/connection.js';

export interface ServerVersion {
  readonly kind: 'PostgreSQL' | 'EventStoreDB';
  /** As the server says it; `unknown` when it is too old to tell. */
  readonly version: string;
}

/**
 * Asks the server behind an `EVENT_STORE_URL` what it is. For operators: nothing else depends on a version.
 * @throws what the client of that server throws
 */
export async function readServerVersion(eventStoreUrl: string, timeoutMs: number): Promise<ServerVersion> {
  if (isEventStoreDbUrl(eventStoreUrl))
    return { kind: 'EventStoreDB', version: await ask(eventStoreUrl, timeoutMs) };
  const client = new pg.Client({
    connectionString: eventStoreUrl,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return { kind: 'PostgreSQL', version: rows[0]?.server_version ?? 'unknown' };
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function ask(eventStoreUrl: string, timeoutMs: number): Promise<string> {
  const client = new AskingClient(parseConnectionString(eventStoreUrl));
  try {
    return await within(timeoutMs, client.serverVersion);
  } finally {
    await client.close();
  }
}

/** The client learns the version before it appends, and tells only itself. */
class AskingClient extends GuardedClient {
  get serverVersion(): Promise<string> {
    return this.capabilities.then((features) => features.serverVersion);
  }
}
