import { storeWith, type EventStore } from '#event-store/event-store.js';
import {
  createEventStorePool,
  PostgresEventStore,
  type PostgresEventStoreOptions,
} from '#event-store/postgres/postgres-event-store.js';

/** The event store of a database, with a pool of its own that ends with it. */
export function openPostgresStore(
  url: string,
  options: Omit<PostgresEventStoreOptions, 'pool'> = {},
): EventStore {
  const pool = createEventStorePool(url, 4);
  const store = new PostgresEventStore({ pool, ...options });
  const close = async () => {
    await store.close();
    if (!pool.ending) await pool.end();
  };
  return storeWith(store, { close });
}
