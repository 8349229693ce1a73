import { seedPresets } from '#application/preset/seed-presets.js';
import { environments } from '#domain/streams.js';
import { openEventStore, prepareEventStore } from '#event-store/open-event-store.js';
import { readModels } from '#projections/read-models.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { systemClock } from '#platform/clock.js';
import { findConnections, type Connections } from '../connections.js';
import { printJson, printLine } from '../output.js';
import { findStorage } from '../presets/object-storage.js';
import type { OutputOptions } from '../verb.js';

/** Idempotent, and safe to run by several at the same time. */
export async function migrate({ json }: OutputOptions): Promise<void> {
  const connections = findConnections();
  await prepareEventStore(connections);
  await migrateReadStore(connections.databaseUrl, readModels);
  const published = await publishPresets(connections);
  if (json) printJson({ migrated: true, presets_published: published });
  else {
    printLine('The event store and the read store are up to date.');
    if (published > 0) printLine(`${published} presets were published.`);
  }
}

/** Those of this release that are new or have changed, in both environments. @returns how many */
async function publishPresets(connections: Connections): Promise<number> {
  const { store, close } = openEventStore(connections, { maxConnections: 4 });
  try {
    let published = 0;
    for (const environment of environments) {
      published += (await seedPresets(store, findStorage(), environment, systemClock)).published;
    }
    return published;
  } finally {
    await close();
  }
}
