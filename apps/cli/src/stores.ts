import pg from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import { openEventStore, type EventStoreUrls, type OpenOptions } from '#event-store/open-event-store.js';

/** How long one answer may take before it counts as none, where a verb looks at what may be away. */
export const answerWithinMs = 3_000;

/** Runs `work` on the event store, and closes it whatever comes of it. */
export async function withEventStore<T>(
  urls: EventStoreUrls,
  options: OpenOptions,
  work: (store: EventStore) => Promise<T>,
): Promise<T> {
  const opened = await openEventStore(urls, options);
  try {
    return await work(opened.store);
  } finally {
    await opened.close();
  }
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
