import { join } from 'node:path';
import { openEventStore } from '#event-store/open-event-store.js';
import { loadConfiguration } from '#platform/configuration.js';
import { createLogger } from '#platform/logger.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import type { ApiService } from '../../../../test/api/support/api-service.js';
import { configurationOn, startProjector } from '../../../../test/support/roles.js';
import { testKeys } from '../../../../test/support/signing-key.js';

const logger = createLogger('test', process.env['LOG_LEVEL'] ?? 'silent');

export interface Erasing {
  stop(): Promise<void>;
}

/** A whole projector beside a service, with the service's pictures. @param pem the key that signs receipts */
export async function startErasing(service: ApiService, pem: string): Promise<Erasing> {
  const { databaseUrl, folder } = service;
  const opened = await openEventStore({ eventStoreUrl: databaseUrl, databaseUrl }, { ...testKeys });
  const queue = await PgBossRenderQueue.start({ url: databaseUrl, logger });
  const directory = join(folder, 'objects');
  const projector = await startProjector({
    store: opened.store,
    snapshots: opened.snapshots,
    erasure: opened.erasure,
    logger,
    queue,
    configuration: configurationOn(databaseUrl, {
      storage: { kind: 'folder', directory, signingSecret: 'a secret of tests' },
      sealing: loadConfiguration({
        DATABASE_URL: databaseUrl,
        ATELIER_SEAL_KEY: pem,
        URL_SIGNING_SECRET: 'x',
      }).sealing,
    }),
  });
  return {
    async stop() {
      await projector.stop();
      await queue.stop(0);
      await opened.close();
    },
  };
}
