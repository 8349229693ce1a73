import { Injectable, Optional } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { QueuedJob } from '#domain/job/job.js';
import type { Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { entriesUpTo } from '#platform/cache-size.js';
import { openSpan } from '#platform/tracing.js';
import { RenderQueue, type QueueTransaction, type RenderTask } from '#render-queue/render-queue.js';
import { groupingOf, groupingStage, jobEvents } from '../render/batch-grouping.js';
import type { DeliveredEvent } from './delivered-event.js';
import type { ProcessManager } from './process-manager.js';
import { renderDispatcher } from './process-managers.js';

/** The jobs of a batch's photographs. Undefined before the batch is grouped, and for a job without a batch. */
export type GroupedJobs = readonly string[] | undefined;

/** The jobs of a grouped batch. They are drawn in the same place as their parent. */
interface GroupedBatch {
  readonly jobIds: readonly string[];
  readonly where: TaskPlace;
}

/** The part of a task that names the model. */
type TaskPlace = Pick<RenderTask, 'remote' | 'model'>;

export function taskPlaceOf({ remote, imageModel }: Pick<QueuedJob, 'remote' | 'imageModel'>): TaskPlace {
  return remote ? { remote, ...(imageModel !== undefined && { model: imageModel }) } : {};
}

/** The jobs whose render may begin now. @param grouped jobs of the event's batch, see {@link batchOf} */
export function reactOfDispatcher(event: DeliveredEvent, grouped: GroupedJobs): readonly string[] {
  switch (event.type) {
    case 'JobQueued': {
      const { jobId, parentJobId } = event.data;
      return parentJobId === null || grouped ? [jobId] : [];
    }
    case 'StageCompleted':
      return event.data.stage === groupingStage ? (grouped ?? []) : [];
    default:
      return [];
  }
}

/** The parent job of the batch that decides how this event counts; undefined if none does. */
function batchOf(event: DeliveredEvent): string | undefined {
  switch (event.type) {
    case 'JobQueued':
      return event.data.parentJobId ?? undefined;
    case 'StageCompleted':
      return event.data.stage === groupingStage ? event.streamId : undefined;
    default:
      return undefined;
  }
}

/**
 * Puts every queued job into the render queue, in the transaction that moves its checkpoint, so exactly once.
 * If the checkpoint is lost and history is handled again, workers find those jobs finished and leave them.
 *
 * The queued photographs of a batch wait until their parent is grouped, and are then enqueued together. A
 * photograph whose JobQueued comes later is enqueued by itself. Each is therefore enqueued at least once; a
 * second time does no harm.
 */
@Injectable()
export class RenderDispatcher implements ProcessManager {
  /** The jobs of grouped batches, by environment and parent. The parent's first event fixes them. */
  private readonly grouped: LRUCache<string, GroupedBatch>;

  constructor(
    private readonly store: EventStore,
    private readonly queue: RenderQueue,
    @Optional() rememberedBatches = 10_000,
  ) {
    this.grouped = new LRUCache(entriesUpTo(rememberedBatches));
  }

  async handle(environment: Environment, events: readonly DeliveredEvent[]) {
    const tasks = await this.tasksOf(environment, events);
    return tasks.length === 0 ? undefined : (tx: QueueTransaction) => enqueue(this.queue, tasks, tx);
  }

  /** @throws the store's errors */
  async tasksOf(environment: Environment, events: readonly DeliveredEvent[]): Promise<RenderTask[]> {
    const tasks = await Promise.all(
      events.map(async (event) => {
        const parentJobId = batchOf(event);
        const grouped =
          parentJobId === undefined ? undefined : await this.groupedJobs(environment, parentJobId);
        const { tenant, traceparent } = event.metadata;
        const where = event.type === 'JobQueued' ? taskPlaceOf(event.data) : grouped?.where;
        const ready = reactOfDispatcher(event, grouped?.jobIds);
        const queued = event.type === 'JobQueued' ? ready : await this.queuedAmong(environment, ready);
        return queued.map((jobId): RenderTask => ({
          environment,
          tenant,
          jobId,
          ...where,
          ...(traceparent === undefined ? {} : { traceparent }),
        }));
      }),
    );
    return tasks.flat();
  }

  /**
   * Keeps only queued jobs. A worker drops the task of a missing job, and the queue would then take the job's
   * real task for done.
   */
  private async queuedAmong(environment: Environment, jobIds: readonly string[]): Promise<string[]> {
    const firsts = await Promise.all(
      jobIds.map(async (jobId) => (await jobEvents(this.store, environment, jobId))[0]),
    );
    return jobIds.filter((_, index) => firsts[index]?.type === 'JobQueued');
  }

  private async groupedJobs(
    environment: Environment,
    parentJobId: string,
  ): Promise<GroupedBatch | undefined> {
    const key = `${environment} ${parentJobId}`;
    const known = this.grouped.get(key);
    if (known) return known;
    const events = await jobEvents(this.store, environment, parentJobId);
    if (!groupingOf(events)) return undefined;
    const [parent] = events;
    if (parent?.type !== 'JobQueued') return undefined;
    const batch = { jobIds: parent.data.childJobIds ?? [], where: taskPlaceOf(parent.data) };
    this.grouped.set(key, batch);
    return batch;
  }
}

/** One statement enqueues all tasks; a span in each trace covers its own. */
async function enqueue(
  queue: RenderQueue,
  tasks: readonly RenderTask[],
  tx: QueueTransaction,
): Promise<void> {
  const traces = new Map(tasks.map((task) => [task.traceparent, task]));
  traces.delete(undefined);
  const spans = [...traces].map(([parent, { environment, tenant, jobId }]) =>
    openSpan(renderDispatcher, {
      kind: 'consumer',
      parent,
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
