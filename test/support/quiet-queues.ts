import type { Logger } from '#platform/logger.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import type { RenderQueue } from '#render-queue/render-queue.js';

const impatience = { heartbeatSeconds: 2, superviseSeconds: 1 };

/** The queues of a process that draws no pictures: specs append the events of renders. */
export async function openQuietQueues(url: string, logger: Logger): Promise<RenderQueue> {
  const queue = await PgBossRenderQueue.start({ url, logger, ...impatience });
  return Object.assign(Object.create(queue) as PgBossRenderQueue, {
    enqueue: () => Promise.resolve(),
    requeue: () => Promise.resolve(0),
    work: () => Promise.resolve(),
  });
}
