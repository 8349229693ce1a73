import type { EventStore } from './event-store.js';
import { isEventStoreDbUrl } from './eventstoredb/connection-string.js';
import { createEventStoreDbEventStore } from './eventstoredb/eventstoredb-event-store.js';
import type { EventStoreObserver } from './observer.js';
import { createEventStorePool, createPostgresEventStore } from './postgres/postgres-event-store.js';
import { createPostgresSnapshotStore } from './postgres/postgres-snapshot-store.js';
import { migrateEventStore } from './postgres/schema.js';
import type { SnapshotStore } from './snapshots.js';

/** Where events and snapshots are kept. The scheme of the first URL chooses the adapter, and nothing else does. */
export interface EventStoreUrls {
  /** `postgres://…`, `esdb://…` or `esdb+discover://…`. */
  readonly eventStoreUrl: string;
  /** Where snapshots are kept when the log is not in PostgreSQL. */
  readonly databaseUrl: string;
}

export interface OpenOptions {
  /** To PostgreSQL. Default 8. */
  readonly maxConnections?: number;
  /** How long one call is tried in all before it throws. Default 10,000 ms. */
  readonly deadlineMs?: number;
  readonly observer?: EventStoreObserver;
}

export interface OpenedEventStore {
  readonly store: EventStore;
  readonly snapshots: SnapshotStore;
  /** Ends the subscriptions and closes all connections. */
  close(): Promise<void>;
}

/**
 * The event store behind an `EVENT_STORE_URL`, and the snapshots beside it. Opens no connection before the first
 * call; what PostgreSQL has of it has to be there (`prepareEventStore`).
 * @throws RangeError for a URL that no adapter serves
 */
export function openEventStore(urls: EventStoreUrls, options: OpenOptions = {}): OpenedEventStore {
  const { maxConnections = 8, ...rest } = options;
  const pool = createEventStorePool(postgresUrlOf(urls), maxConnections);
  const store = isEventStoreDbUrl(urls.eventStoreUrl)
    ? createEventStoreDbEventStore({ connectionString: urls.eventStoreUrl, ...rest })
    : createPostgresEventStore({ connection: { pool }, ...rest });
  const close = async () => {
    await store.close();
    await pool.end();
  };
  return { store, snapshots: createPostgresSnapshotStore({ pool }), close };
}

/**
 * Brings up to date what PostgreSQL keeps: the log with its snapshots, or the snapshots alone beside EventStoreDB, which
 * needs no preparation. Idempotent, and safe to run by several at the same time.
 * @throws RangeError for a URL that no adapter serves
 */
export async function prepareEventStore(urls: EventStoreUrls): Promise<void> {
  const pool = createEventStorePool(postgresUrlOf(urls), 1);
  try {
    await migrateEventStore(pool);
  } finally {
    await pool.end();
  }
}

function postgresUrlOf({ eventStoreUrl, databaseUrl }: EventStoreUrls): string {
  if (/^postgres(?:ql)?:\/\//.test(eventStoreUrl)) return eventStoreUrl;
  if (isEventStoreDbUrl(eventStoreUrl)) return databaseUrl;
  throw new RangeError('EVENT_STORE_URL starts with postgres://, esdb:// or esdb+discover://');
}
