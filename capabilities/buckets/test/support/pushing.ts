import { join } from 'node:path';
import { openEventStore } from '#event-store/open-event-store.js';
import type { Configuration } from '#platform/configuration.js';
import { createLogger } from '#platform/logger.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import type { ApiService } from '../../../../test/api/support/api-service.js';
import { openQuietQueues } from '../../../../test/support/quiet-queues.js';
import { configurationOn, startProjector, startWorker } from '../../../../test/support/roles.js';
import { testKeys, testSigningKey } from '../../../../test/support/signing-key.js';

/** The buckets of tests are on loopback. */
export const bucketSettings: Partial<Configuration> = {
  signingKey: testSigningKey,
  buckets: { allowedNetworks: ['127.0.0.1/32'], allowHttp: true, timeoutMs: 2_000 },
};

export const logger = createLogger('test', process.env['LOG_LEVEL'] ?? 'silent');

type Served = Pick<ApiService, 'databaseUrl' | 'folder'>;
interface Running {
  stop(): Promise<void>;
}

const objectsOf = ({ folder }: Served) => join(folder, 'objects');

/** The part of a worker that pushes pictures. */
export async function startPusher(service: Served): Promise<Running> {
  const { databaseUrl } = service;
  const { store, close } = await openEventStore({ eventStoreUrl: databaseUrl, databaseUrl }, { ...testKeys });
  const storage = { directory: objectsOf(service), signingSecret: 'x', publicUrl: 'http://127.0.0.1' };
  const { stop } = await startWorker({
    store,
    logger,
    queue: await openQuietQueues(databaseUrl, logger),
    configuration: configurationOn(databaseUrl, bucketSettings),
    storage: new FolderStorage(storage),
    engine: { capabilities: () => Promise.reject(new Error('none')) } as never,
  });
  return {
    async stop() {
      await stop();
      await close();
    },
  };
}

/** A whole projector, which finds what to push, and carries erasures out. */
export async function startFinder(service: Served): Promise<Running> {
  const { databaseUrl } = service;
  const opened = await openEventStore({ eventStoreUrl: databaseUrl, databaseUrl }, { ...testKeys });
  const queue = await openQuietQueues(databaseUrl, logger);
  const storage = { kind: 'folder', directory: objectsOf(service), signingSecret: 'x' } as const;
  const { stop } = await startProjector({
    store: opened.store,
    snapshots: opened.snapshots,
    erasure: opened.erasure,
    logger,
    queue,
    configuration: configurationOn(databaseUrl, { ...bucketSettings, storage }),
  });
  return {
    async stop() {
      await stop();
      await queue.stop(0);
      await opened.close();
    },
  };
}
