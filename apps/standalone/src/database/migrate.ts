import { createEventStorePool } from '#event-store/postgres/postgres-event-store.js';
import { migrateEventStore } from '#event-store/postgres/schema.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { StartError } from '../start-error.js';

/** Brings all schemas up to date. Idempotent. @throws StartError when the event store is of a kind that is not there */
export async function migrate(eventStoreUrl: string, databaseUrl: string): Promise<void> {
  if (!/^postgres(?:ql)?:/.test(eventStoreUrl))
    throw new StartError(
      'EVENT_STORE_URL must be a postgres:// URL: this release keeps events in PostgreSQL only',
    );
  const pool = createEventStorePool(eventStoreUrl, 1);
  try {
    await migrateEventStore(pool);
  } finally {
    await pool.end();
  }
  await migrateReadStore(databaseUrl);
}
