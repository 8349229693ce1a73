import { testKeys, testSigningKey } from '../../../../test/support/signing-key.js';
import type { Configuration } from '#platform/configuration.js';
import { createLogger } from '#platform/logger.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { openQuietQueues } from '../../../../test/support/quiet-queues.js';
import { configurationOn, startProjector, startWorker } from '../../../../test/support/roles.js';

export const signingKey = testSigningKey;

/** The receivers of tests are on loopback. */
export const webhookSettings: Partial<Configuration> = {
  signingKey,
  webhooks: { allowedNetworks: ['127.0.0.1/32'], allowHttp: true, timeoutMs: 1_000, concurrency: 8 },
};

const logger = createLogger('test', process.env['LOG_LEVEL'] ?? 'silent');

/** The part of a worker that sends webhooks. */
export async function startSender(databaseUrl: string): Promise<{ stop(): Promise<void> }> {
  const { store, close } = await openEventStore({ eventStoreUrl: databaseUrl, databaseUrl }, { ...testKeys });
  const queue = await openQuietQueues(databaseUrl, logger);
  const { stop } = await startWorker({
    store,
    logger,
    queue,
    configuration: configurationOn(databaseUrl, webhookSettings),
    storage: new FolderStorage({ directory: '/nowhere', signingSecret: 'x', publicUrl: 'http://127.0.0.1' }),
    engine: { capabilities: () => Promise.reject(new Error('none')) } as never,
  });
  return {
    async stop() {
      await stop();
      await close();
    },
  };
}

/** A whole projector, which finds the messages to send. */
export async function startDispatcher(databaseUrl: string): Promise<{ stop(): Promise<void> }> {
  const { store, snapshots, close } = await openEventStore(
    { eventStoreUrl: databaseUrl, databaseUrl },
    { ...testKeys },
  );
  const queue = await openQuietQueues(databaseUrl, logger);
  const configuration = configurationOn(databaseUrl, webhookSettings);
  const { stop } = await startProjector({
    store,
    snapshots,
    logger,
    queue,
    configuration,
  });
  return {
    async stop() {
      await stop();
      await queue.stop(0);
      await close();
    },
  };
}
