import { refuseOtherLog } from '#adapters/operator-context.js';
import { ObjectStorageModule } from '#adapters/object-storage.module.js';
import { SeedPresets } from '#application/preset/manage-presets.handler.js';
import { PresetModule } from '#application/preset/preset.module.js';
import { environments } from '#domain/streams.js';
import { prepareEventStore } from '#event-store/open-event-store.js';
import { systemClock } from '#platform/clock.js';
import { readModels } from '#projections/read-models.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { ConnectedOperator } from './connected-operator.js';
import { printJson, printLine } from '#operator-calls/output.js';
import type { OutputOptions } from '#operator-calls/verb.js';

/**
 * Migrates the schemas, then publishes this release's new or changed presets in both environments. Idempotent,
 * and several processes may run it at the same time.
 */
export async function migrateInstallation({ json }: OutputOptions): Promise<void> {
  await using operator = await ConnectedOperator.connect([ObjectStorageModule, PresetModule]);
  const { configuration } = operator;
  await prepareEventStore(configuration);
  await migrateReadStore(configuration.databaseUrl, readModels);
  await refuseOtherLog(operator.store, configuration);
  let published = 0;
  for (const environment of environments)
    published += (await operator.execute(new SeedPresets(environment, systemClock()))).published;
  if (json) return printJson({ migrated: true, presets_published: published });
  printLine('The event store and the read store are up to date.');
  if (published > 0) printLine(`${published} presets were published.`);
}
