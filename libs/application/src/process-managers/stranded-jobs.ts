import { Injectable } from '@nestjs/common';
import type { JobEvent } from '#domain/job/job.events.js';
import { evolveJob, initialJob, isUnfinished, type QueuedJob } from '#domain/job/job.js';
import type { Environment } from '#domain/streams.js';
import { EventStore, UnprovenEvent } from '#event-store/event-store.js';
import { RenderQueue, type RenderTask } from '#render-queue/render-queue.js';
import { JobsWithoutTask, type JobWithoutTask } from '../read-models.js';
import { groupingOf, jobEvents } from '../render/batch-grouping.js';
import { BatchParents, type BatchStep } from './batch-parents.js';
import { taskPlaceOf } from './render-dispatcher.js';

/** The work that a stranded job needs. */
export interface Remedy {
  readonly task: boolean;
  /** The part of its task that names the model. */
  readonly where?: Pick<RenderTask, 'remote' | 'model'>;
  readonly step?: BatchStep;
}

const nothing: Remedy = { task: false };

/**
 * The remedy, judged by the events of the job and of its batch's parent. A parent needs its task until it is
 * grouped. If the queue has nothing of the batch, its photographs' jobs are queued, and it ends if they have
 * all ended. A photograph needs its task once its parent is grouped; before that, the parent is the stranded
 * one.
 */
export function remedyFor(own: readonly JobEvent[], parent: readonly JobEvent[]): Remedy {
  const job = queuedAndUnfinished(own);
  if (!job) return nothing;
  const { jobId, parentJobId, childJobIds } = job;
  const where = job.remote ? { where: taskPlaceOf(job) } : {};
  if (childJobIds)
    return { task: groupingOf(own) === undefined, ...where, step: { kind: 'begin', parentJobId: jobId } };
  if (parentJobId === null) return { task: true, ...where };
  if (!queuedAndUnfinished(parent)) return { task: false, step: { kind: 'cancel', parentJobId } };
  return { task: groupingOf(parent) !== undefined, ...where };
}

function queuedAndUnfinished(events: readonly JobEvent[]): QueuedJob | undefined {
  const state = events.reduce(evolveJob, initialJob);
  return isUnfinished(state) ? state.job : undefined;
}

export interface StrandedJob extends JobWithoutTask {
  readonly remedy: Remedy;
}

/** Reads the jobs' streams and returns those that need something. @throws the store's errors */
export async function strandedAmong(
  store: EventStore,
  environment: Environment,
  jobs: readonly JobWithoutTask[],
): Promise<StrandedJob[]> {
  const diagnosed = await Promise.all(
    jobs.map(async (job) => {
      try {
        const own = await jobEvents(store, environment, job.jobId);
        const parent = job.parentJobId === null ? [] : await jobEvents(store, environment, job.parentJobId);
        return { ...job, remedy: remedyFor(own, parent) };
      } catch (error) {
        // An event that this service did not write causes no action; the other jobs are still helped.
        if (error instanceof UnprovenEvent) return { ...job, remedy: nothing };
        throw error;
      }
    }),
  );
  return diagnosed.filter(({ remedy: { task, step } }) => task || step);
}

/** Jobs whose streams are read together. */
const pageSize = 200;

/**
 * Reconciles unfinished jobs with the render queue, which is only a cache of the log. If the queue loses tasks,
 * or an operator moves a process manager's checkpoint past an event, jobs remain that no worker ever sees.
 *
 * A job counts as stranded when two looks in a row find it without a task. Between the two, a job that was just
 * queued gets its task, and a worker whose task was taken away notices it and leaves its attempt.
 */
@Injectable()
export class StrandedJobs {
  private readonly suspects = new Map<Environment, ReadonlySet<string>>();

  constructor(
    private readonly jobs: JobsWithoutTask,
    private readonly queue: RenderQueue,
    private readonly batches: BatchParents,
    private readonly store: EventStore,
  ) {}

  /**
   * One look. @returns how many jobs were helped
   * @throws the errors of database and store; the next look then tries again
   */
  async look(environment: Environment): Promise<number> {
    const found = await this.jobs.find(environment);
    const suspects = this.suspects.get(environment);
    this.suspects.set(environment, new Set(found.map(({ jobId }) => jobId)));
    return this.help(
      environment,
      found.filter(({ jobId }) => suspects?.has(jobId)),
    );
  }

  /**
   * Safe to repeat, also while the queue or another look does the same. @returns how many jobs got their task
   * again
   */
  async help(environment: Environment, found: readonly JobWithoutTask[]): Promise<number> {
    let helped = 0;
    for (let from = 0; from < found.length; from += pageSize) {
      const jobs = await strandedAmong(this.store, environment, found.slice(from, from + pageSize));
      const tasks = jobs
        .filter(({ remedy }) => remedy.task)
        .map(({ jobId, tenant, remedy: { where } }): RenderTask => ({
          environment,
          tenant,
          jobId,
          ...where,
        }));
      if (tasks.length > 0) helped += await this.queue.requeue(tasks);
      // The photographs of one batch need the same steps.
      const steps = new Map(
        jobs.flatMap(({ remedy: { step } }) => (step ? [[JSON.stringify(step), step]] : [])),
      );
      for (const step of steps.values()) await this.batches.take(environment, step);
    }
    return helped;
  }
}
