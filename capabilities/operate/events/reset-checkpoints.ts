import { locationOf } from '#event-store/open-event-store.js';
import { patience, withEventStore } from '../service.js';
import { printJson, printLine } from '#operator-calls/output.js';
import type { OutputOptions } from '#operator-calls/verb.js';
import { resetCheckpoints } from './copy-checkpoints.js';
import { openService } from './copy-events.js';

/** Resets checkpoints that no longer fit the log, after a restore or a move. No role may run. */
export async function resetAllCheckpoints({ json }: OutputOptions): Promise<void> {
  await using service = await openService();
  const { configuration } = service;
  const place = locationOf(configuration.eventStoreUrl);
  const { forgottenKeys } = await withEventStore(configuration, patience, (store) =>
    resetCheckpoints(configuration.databaseUrl, { store, place }),
  );
  if (json) return printJson({ log: place, forgotten_idempotency_keys: forgottenKeys });
  printLine(`Every read model and process manager starts again at the first event of ${place}.`);
  if (forgottenKeys > 0)
    printLine(`${forgottenKeys} Idempotency-Keys were forgotten: their jobs are not in the log.`);
}
