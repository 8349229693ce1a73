import pg from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import { proofOptions } from '#adapters/event-log.module.js';
import { openEventStore, type OpenOptions } from '#event-store/open-event-store.js';
import {
  ConfigurationError,
  loadConfiguration,
  settingOf,
  withProvided,
  type Configuration,
} from '#platform/configuration.js';
import { findSealKey, readHomeSecrets, readRuntime } from '#platform/home-files.js';
import { CliError } from '#operator-calls/call-refused.js';

/**
 * The settings of the service that this command is about. With DATABASE_URL the environment decides, as for every role
 * in production; without it the `npm start` that runs on ATELIER_HOME does.
 * @throws CliError when nothing runs there, or a setting is wrong
 */
export function findConfiguration(variables: NodeJS.ProcessEnv = process.env): Configuration {
  try {
    // The secret signs URLs of pictures, which no verb makes.
    const provided = { DATABASE_URL: 'postgres://of-the-running-service', URL_SIGNING_SECRET: 'unused' };
    const given = withProvided(variables, provided);
    const configuration = loadConfiguration(given);
    if (settingOf(variables, 'DATABASE_URL')) return configuration;
    const { home, signingKey = readHomeSecrets(home).signingKey } = configuration;
    const sealKeyFile = configuration.sealing.key ? undefined : findSealKey(home);
    const running = readRuntime(home);
    if (!running)
      throw new CliError(
        `nothing runs on ${home}: run "npm start" there first, or set ATELIER_HOME or DATABASE_URL`,
      );
    const { databaseUrl, eventStoreUrl, baseUrl: publicUrl } = running;
    const { sealing } = sealKeyFile
      ? loadConfiguration({ ...given, ATELIER_SEAL_KEY_FILE: sealKeyFile })
      : configuration;
    return { ...configuration, databaseUrl, eventStoreUrl, publicUrl, signingKey, sealing };
  } catch (error) {
    if (error instanceof ConfigurationError) throw new CliError(error.message);
    throw error;
  }
}

/** How long one answer may take before it counts as none, where a verb looks at what may be away. */
export const answerWithinMs = 3_000;
export const patience = { maxConnections: 2, deadlineMs: answerWithinMs };

/** Runs `work` on the service's event store, and closes it whatever comes of it. */
export async function withEventStore<T>(
  configuration: Configuration,
  options: OpenOptions,
  work: (store: EventStore) => Promise<T>,
): Promise<T> {
  await using opened = await openEventStore(configuration, {
    ...options,
    proof: proofOptions(configuration),
  });
  return await work(opened.store);
}

/** Runs `work` on a connection of its own to the database, on which a query may take `withinMs`. */
export async function withDatabase<T>(
  connectionString: string,
  withinMs: number | undefined,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const patience =
    withinMs === undefined ? {} : { connectionTimeoutMillis: withinMs, query_timeout: withinMs };
  const client = new pg.Client({ connectionString, application_name: 'atelier-cli', ...patience });
  // A connection that breaks fails the query that waits for it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
