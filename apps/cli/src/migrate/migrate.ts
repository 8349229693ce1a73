import { createEventStorePool } from '#event-store/postgres/postgres-event-store.js';
import { migrateEventStore } from '#event-store/postgres/schema.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { findConnections } from '../connections.js';
import { printJson, printLine } from '../output.js';
import type { OutputOptions } from '../verb.js';

/** Idempotent, and safe to run by several at the same time. */
export async function migrate({ json }: OutputOptions): Promise<void> {
  const { databaseUrl, eventStoreUrl } = findConnections();
  const pool = createEventStorePool(eventStoreUrl, 1);
  try {
    await migrateEventStore(pool);
  } finally {
    await pool.end();
  }
  await migrateReadStore(databaseUrl);
  if (json) printJson({ migrated: true });
  else printLine('The event store and the read store are up to date.');
}
