import { join } from 'node:path';
import { openEventStore } from '#event-store/open-event-store.js';
import type { Clock } from '#platform/clock.js';
import { loadConfiguration, type Configuration, type StorageConfiguration } from '#platform/configuration.js';
import { createLogger } from '#platform/logger.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import type { ApiService } from '../../../../test/api/support/api-service.js';
import { configurationOn, startProjector } from '../../../../test/support/roles.js';
import { testKeys } from '../../../../test/support/signing-key.js';

const logger = createLogger('test', process.env['LOG_LEVEL'] ?? 'silent');

export interface Erasing {
  readonly storage: StorageConfiguration;
  stop(): Promise<void>;
}

/**
 * A whole projector beside a service, with the service's pictures.
 * @param pem the key that signs receipts
 * @param more its log, if that is not in the database of the service; its clock, its timing for specs of what is due from time to time, and further settings
 */
export async function startErasing(
  service: Pick<ApiService, 'databaseUrl' | 'folder'>,
  pem: string,
  {
    eventStoreUrl = service.databaseUrl,
    clock,
    timing,
    settings,
  }: {
    readonly eventStoreUrl?: string;
    readonly clock?: Clock;
    readonly timing?: Partial<Configuration['projector']>;
    readonly settings?: Partial<Configuration>;
  } = {},
): Promise<Erasing> {
  const { databaseUrl, folder } = service;
  const opened = await openEventStore({ eventStoreUrl, databaseUrl }, { ...testKeys });
  const queue = await PgBossRenderQueue.start({ url: databaseUrl, logger });
  const directory = join(folder, 'objects');
  const storage = { kind: 'folder', directory, signingSecret: 'a secret of tests' } as const;
  const projector = await startProjector({
    store: opened.store,
    snapshots: opened.snapshots,
    erasure: opened.erasure,
    ...(clock && { clock }),
    logger,
    queue,
    configuration: configurationOn(databaseUrl, {
      eventStoreUrl,
      storage,
      projector: { ...configurationOn(databaseUrl).projector, ...timing },
      sealing: loadConfiguration({
        DATABASE_URL: databaseUrl,
        ATELIER_SEAL_KEY: pem,
        URL_SIGNING_SECRET: 'x',
      }).sealing,
      ...settings,
    }),
  });
  return {
    storage,
    async stop() {
      await projector.stop();
      await queue.stop(0);
      await opened.close();
    },
  };
}
