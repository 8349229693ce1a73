import { Cancellations } from '#application/render/cancellations.js';
import type { ImageEngines } from '#application/render/image-engines.js';
import { JobRenderer } from '#application/render/job-renderer.js';
import { environments } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Clock } from '#platform/clock.js';
import { newId } from '#platform/ids.js';
import type { Logger } from '#platform/logger.js';
import type { RenderQueue, TaskHandler } from '#render-queue/render-queue.js';
import type { ObjectStorage } from '#storage/object-storage.js';

export interface WorkerDependencies {
  readonly store: EventStore;
  readonly storage: ObjectStorage;
  readonly queue: RenderQueue;
  readonly engines: ImageEngines;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Renders of each environment that run at the same time in this process. */
  readonly concurrency: number;
  /** Renders of one tenant that run at the same time, over all workers. */
  readonly tenantConcurrency: number;
  readonly renderTimeoutMs?: number;
}

export interface RunningWorker {
  /** As it stands in RenderStarted. It names no host. */
  readonly id: string;
  /** Takes no further jobs, gives the running ones `graceMs`, then leaves them to other workers. Closes the queue. */
  stop(graceMs?: number): Promise<void>;
}

export const defaultGraceMs = 10_000;

/** Takes jobs of both environments from the queue and renders them, until it is stopped. */
export async function startWorker(dependencies: WorkerDependencies): Promise<RunningWorker> {
  const { store, storage, queue, engines, clock, renderTimeoutMs } = dependencies;
  const id = `worker-${newId()}`;
  const logger = dependencies.logger.child({ worker: id });
  const cancellations = new Cancellations(store, logger);
  const worker = { id, store, clock };
  const timeout = renderTimeoutMs === undefined ? {} : { renderTimeoutMs };
  const renderer = new JobRenderer({ worker, storage, engines, cancellations, logger, ...timeout });
  const handler: TaskHandler = async (task, claim) => {
    try {
      return await renderer.render(task, claim);
    } catch (error) {
      if (claim.aborted) return { kind: 'retry', afterMs: 0 };
      logger.error({ err: error, ...task }, 'a job could not be rendered and will be tried again');
      throw error;
    }
  };

  cancellations.start();
  const { concurrency, tenantConcurrency } = dependencies;
  for (const environment of environments) {
    await queue.work(environment, { concurrency, tenantConcurrency }, handler);
  }
  return {
    id,
    async stop(graceMs = defaultGraceMs) {
      await queue.stop(graceMs);
      await cancellations.stop();
    },
  };
}
