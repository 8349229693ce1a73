import { testKeys, testSigningKey } from '../../../../test/support/signing-key.js';
import type { Configuration } from '#platform/configuration.js';
import { createLogger } from '#platform/logger.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import type { RenderQueue } from '#render-queue/render-queue.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { configurationOn, startProjector, startWorker } from '../../../../test/support/roles.js';

export const signingKey = testSigningKey;

/** The receivers of tests are on loopback. */
export const webhookSettings: Partial<Configuration> = {
  signingKey,
  webhooks: { allowedNetworks: ['127.0.0.1/32'], allowHttp: true, timeoutMs: 1_000, concurrency: 8 },
};

const impatience = { heartbeatSeconds: 2, superviseSeconds: 1 };
const logger = createLogger('test', process.env['LOG_LEVEL'] ?? 'silent');

/** The queues of a process that draws no pictures: specs append the events of renders. */
async function openQueues(url: string): Promise<RenderQueue> {
  const queue = await PgBossRenderQueue.start({ url, logger, ...impatience });
  return Object.assign(Object.create(queue) as PgBossRenderQueue, {
    enqueue: () => Promise.resolve(),
    requeue: () => Promise.resolve(0),
    work: () => Promise.resolve(),
  });
}

/** The part of a worker that sends webhooks. */
export async function startSender(databaseUrl: string): Promise<{ stop(): Promise<void> }> {
  const { store, close } = await openEventStore({ eventStoreUrl: databaseUrl, databaseUrl }, { ...testKeys });
  const queue = await openQueues(databaseUrl);
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
  const queue = await openQueues(databaseUrl);
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
