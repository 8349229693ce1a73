import { prepareEventStore, type EventStoreUrls } from '#event-store/open-event-store.js';
import { readModels } from '#projections/read-models.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { StartError } from '../start-error.js';

/** Brings all schemas up to date. Idempotent. @throws StartError when no event store has such a URL */
export async function migrate(urls: EventStoreUrls): Promise<void> {
  try {
    await prepareEventStore(urls);
  } catch (error) {
    if (error instanceof RangeError) throw new StartError(error.message);
    throw error;
  }
  await migrateReadStore(urls.databaseUrl, readModels);
}
