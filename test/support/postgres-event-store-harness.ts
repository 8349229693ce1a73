import type { EventStoreHarness } from '../event-store/harness.js';
import { writeElsewhere } from '../event-store/write-elsewhere.js';
import { createEventStorePool } from '#event-store/postgres/postgres-event-store.js';
import { migrateEventStore } from '#event-store/postgres/schema.js';
import { startTcpProxy } from './tcp-proxy.js';
import { createTestDatabase, type DatabaseTemplate } from './test-database.js';
import { openPostgresStore } from './open-postgres-store.js';

/** A database whose event store is migrated and empty. */
export const eventStoreTemplate: DatabaseTemplate = {
  name: 'event_store',
  async prepare(url) {
    const pool = createEventStorePool(url, 1);
    await migrateEventStore(pool);
    await pool.end();
  },
};

/**
 * The Postgres event store on a database of its own, behind a proxy, with writers in processes of their own.
 */
export async function startPostgresHarness(): Promise<EventStoreHarness> {
  const database = await createTestDatabase({ template: eventStoreTemplate });
  const proxy = await startTcpProxy(Number(new URL(database.url).port));
  const proxied = new URL(database.url);
  proxied.port = String(proxy.port);
  return {
    open: (options) => openPostgresStore(database.url, options),
    faults: {
      open: (options) => openPostgresStore(proxied.href, options),
      holdAnswers: proxy.holdAnswers,
      cut: proxy.cut,
      refuse: proxy.refuse,
      restore: proxy.restore,
    },
    writeElsewhere: async (job) => void (await writeElsewhere(database.url, job)),
    async close() {
      await proxy.close();
      await database.drop();
    },
  };
}
