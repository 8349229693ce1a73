import type { EventStore } from './event-store.js';
import { createEventStorePool, createPostgresEventStore } from './postgres/postgres-event-store.js';
import { createPostgresSnapshotStore } from './postgres/postgres-snapshot-store.js';
import type { SnapshotStore } from './snapshots.js';

export interface OpenedEventStore {
  readonly store: EventStore;
  readonly snapshots: SnapshotStore;
  /** Ends the subscriptions and closes all connections. */
  close(): Promise<void>;
}

/**
 * The event store behind an `EVENT_STORE_URL`, and the snapshots beside it. Opens no connection before the first
 * call; the schema has to be there (`migrateEventStore`).
 * @throws RangeError for a URL that no adapter serves
 */
export function openEventStore(url: string, maxConnections = 8): OpenedEventStore {
  if (!/^postgres(?:ql)?:\/\//.test(url)) {
    throw new RangeError('EVENT_STORE_URL must be a postgres:// URL: events are kept in PostgreSQL only');
  }
  const pool = createEventStorePool(url, maxConnections);
  const store = createPostgresEventStore({ connection: { pool } });
  const close = async () => {
    await store.close();
    await pool.end();
  };
  return { store, snapshots: createPostgresSnapshotStore({ pool }), close };
}
