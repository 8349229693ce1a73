import { seedPresets } from '#application/preset/seed-presets.js';
import { environments } from '#domain/streams.js';
import { openEventStore, type EventStoreUrls } from '#event-store/open-event-store.js';
import { systemClock } from '#platform/clock.js';
import type { Configuration } from '#platform/configuration.js';
import { openStorage } from '#storage/open-storage.js';

/**
 * Publishes the presets of this release that are new or have changed. The service can do most of its work without
 * them, so a bucket that does not answer is told and does not keep it from starting.
 */
export async function publishPresets(
  urls: EventStoreUrls,
  configuration: Pick<Configuration, 'storage' | 'publicUrl'>,
  warn: (line: string) => void,
): Promise<void> {
  const { store, close } = openEventStore(urls, { maxConnections: 4 });
  try {
    const storage = openStorage(configuration);
    const seeded = await Promise.allSettled(
      environments.map((environment) => seedPresets(store, storage, environment, systemClock)),
    );
    const failed = seeded.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error);
    warn(
      `the presets are not all published (${because}); "npm run atelier -- presets publish --all" does it`,
    );
  } finally {
    await close();
  }
}
