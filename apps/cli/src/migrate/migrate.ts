import { prepareEventStore } from '#event-store/open-event-store.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { findConnections } from '../connections.js';
import { printJson, printLine } from '../output.js';
import type { OutputOptions } from '../verb.js';

/** Idempotent, and safe to run by several at the same time. */
export async function migrate({ json }: OutputOptions): Promise<void> {
  const connections = findConnections();
  await prepareEventStore(connections);
  await migrateReadStore(connections.databaseUrl);
  if (json) printJson({ migrated: true });
  else printLine('The event store and the read store are up to date.');
}
