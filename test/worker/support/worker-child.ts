import { testProof } from '../../support/signing-key.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEventStore } from '#event-store/open-event-store.js';
import { createLogger } from '#platform/logger.js';
import { runRole } from '#platform/run-role.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { configurationOn, startWorker } from '../../support/roles.js';
import { engineThat } from './engines.js';

/** A worker in a process of its own that a test kills: its engine reports one stage and then never ends. */
const [, , databaseUrl = '', directory = ''] = process.argv;
const logger = createLogger('worker', 'silent');

const endless = engineThat(async (_request, context) => {
  await context.onStage({ stage: 'croquis', message: 'Begun', pictures: [] });
  process.send?.({ type: 'rendering' });
  await sleep(600_000, undefined, { signal: context.signal });
});

await runRole(logger, async () => {
  const { store } = await openEventStore({ eventStoreUrl: databaseUrl, databaseUrl }, { proof: testProof });
  const queue = await PgBossRenderQueue.start({
    url: databaseUrl,
    logger,
    heartbeatSeconds: 2,
    superviseSeconds: 1,
  });
  return startWorker({
    store,
    queue,
    logger,
    configuration: configurationOn(databaseUrl),
    storage: new FolderStorage({ directory, signingSecret: 'for-tests-only', publicUrl: 'http://127.0.0.1' }),
    engine: endless,
  });
});
