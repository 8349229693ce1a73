import type pg from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import { proofOptions } from '#adapters/event-log.module.js';
import { openEventStore, type OpenOptions } from '#event-store/open-event-store.js';
import type { Configuration } from '#platform/configuration.js';
import { withConnection } from '#platform/postgres.js';

/**
 * Milliseconds after which a missing answer counts as none, for verbs that look at services which may be down.
 */
export const answerWithinMs = 3_000;
export const patience = { maxConnections: 2, deadlineMs: answerWithinMs };

/**
 * Runs `work` on the service's event store, and closes the store in every case. Without `words` in the options, events
 * come as they are stored.
 */
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
export function withDatabase<T>(
  connectionString: string,
  withinMs: number | undefined,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const patience =
    withinMs === undefined ? {} : { connectionTimeoutMillis: withinMs, query_timeout: withinMs };
  return withConnection({ connectionString, application_name: 'atelier-cli', ...patience }, work);
}
