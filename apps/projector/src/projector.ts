import {
  BatchParents,
  batchParents,
  batchParentsFilter,
} from '#application/process-managers/batch-parents.js';
import {
  ChargeCloser,
  chargeCloser,
  chargeCloserFilter,
} from '#application/process-managers/charge-closer.js';
import {
  RenderDispatcher,
  renderDispatcher,
  renderDispatcherFilter,
} from '#application/process-managers/render-dispatcher.js';
import { environments, type Environment } from '#domain/streams.js';
import { openSpan } from '#platform/tracing.js';
import { readModels } from '#projections/read-models.js';
import { runProcess } from '#read-store/process-runner.js';
import { ProjectionRunner } from '#read-store/projection-runner.js';
import type { QueueTransaction, RenderQueue, RenderTask } from '#render-queue/render-queue.js';
import { Housekeeping, type HousekeepingDependencies } from './housekeeping.js';

/** `databaseUrl` is that of the read models, the checkpoints and the render queue. */
export interface ProjectorDependencies extends HousekeepingDependencies {
  readonly queue: RenderQueue;
  /** Events that the read models commit together at most. Default 2000. */
  readonly projectionBatch?: number | undefined;
  /** Events that a process manager handles together at most. Default 200. */
  readonly processBatch?: number | undefined;
  /** How often a process that waits behind another projector looks whether it may take over. Default 1000. */
  readonly takeOverPollMs?: number | undefined;
}

export interface RunningProjector {
  /** The tasks that stand still in this process until its next start, as `live projections`. */
  standingStill(): readonly string[];
  /** Finishes the batches at hand. Does not close what it was given. */
  stop(): Promise<void>;
}

/**
 * Runs the read models and the process managers of both environments. Any number of projectors may run: each of
 * these tasks is active in one of them, and the others stand by to take it over.
 */
export function startProjector(dependencies: ProjectorDependencies): RunningProjector {
  const { logger } = dependencies;
  const stopping = new AbortController();
  const halted: string[] = [];
  const tasks = environments.flatMap((environment) =>
    tasksOf(environment, dependencies, stopping.signal).map(({ name, running }) =>
      running.catch((error: unknown) => {
        // The others go on: a read model that stands still must not keep a charge open.
        halted.push(`${environment} ${name}`);
        logger.fatal({ err: error, environment, task: name }, `${name} stands still until the next start`);
      }),
    ),
  );
  return {
    standingStill: () => halted,
    async stop() {
      stopping.abort();
      await Promise.all(tasks);
    },
  };
}

function tasksOf(environment: Environment, dependencies: ProjectorDependencies, signal: AbortSignal) {
  const { databaseUrl: url, store, accounts, queue, clock, logger: log, takeOverPollMs } = dependencies;
  const common = { url, eventStore: store, environment, log, takeOverPollMs };
  const projections = { ...common, readModels, batchSize: dependencies.projectionBatch };
  const process = { ...common, signal, batchSize: dependencies.processBatch };
  const dispatcher = new RenderDispatcher(environment, store);
  const batches = new BatchParents(environment, store, clock);
  const closer = new ChargeCloser(environment, store, accounts, clock);
  return [
    { name: 'projections', running: new ProjectionRunner(projections).run(signal) },
    {
      name: renderDispatcher,
      running: runProcess({
        ...process,
        name: renderDispatcher,
        filter: renderDispatcherFilter(environment),
        mode: 'transactional',
        handle: async (events, tx) => enqueue(queue, await dispatcher.tasksOf(events), tx),
      }),
    },
    {
      name: chargeCloser,
      running: runProcess({
        ...process,
        name: chargeCloser,
        filter: chargeCloserFilter(environment),
        mode: 'at-least-once',
        handle: (events) => closer.handle(events),
      }),
    },
    {
      name: batchParents,
      running: runProcess({
        ...process,
        name: batchParents,
        filter: batchParentsFilter(environment),
        mode: 'at-least-once',
        handle: (events) => batches.handle(events),
      }),
    },
    { name: 'housekeeping', running: new Housekeeping(environment, dependencies).run(signal) },
  ];
}

/** All in one statement, and yet each trace sees its own tasks being enqueued. */
async function enqueue(
  queue: RenderQueue,
  tasks: readonly RenderTask[],
  tx: QueueTransaction,
): Promise<void> {
  const traces = new Map(tasks.map((task) => [task.traceparent, task]));
  traces.delete(undefined);
  const spans = [...traces].map(([parent, { environment, tenant, jobId }]) =>
    openSpan(renderDispatcher, {
      ...{ kind: 'consumer', parent },
      attributes: { 'atelier.environment': environment, 'atelier.tenant': tenant, 'atelier.job_id': jobId },
    }),
  );
  try {
    await queue.enqueue(tasks, tx);
    for (const span of spans) span.end();
  } catch (error) {
    for (const span of spans) span.end(error);
    throw error;
  }
}
