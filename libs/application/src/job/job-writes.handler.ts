import { reject, type Decision } from '#domain/decision.js';
import { concludeBatch, type ConcludeBatch, type ConcludeRejection } from '#domain/job/conclude-batch.js';
import type { JobEvent } from '#domain/job/job.events.js';
import {
  evolveJob,
  initialJob,
  isUnfinished,
  type Job,
  type QueuedJob,
  queueJob,
  type QueueRejection,
  voidJob,
} from '#domain/job/job.js';
import { cancelJob, type RenderRejection, startRender } from '#domain/job/render-job.js';
import { streamName } from '#domain/streams.js';
import type { Aggregate } from '../aggregate.js';
import { StreamCommand } from '../stream-command.handler.js';

export const jobAggregate: Aggregate<Job, JobEvent> = { initial: initialJob, evolve: evolveJob };

abstract class JobWrite<Data, Rejection> extends StreamCommand<Data, Job, JobEvent, Rejection> {
  readonly aggregate = jobAggregate;

  get stream(): string {
    return streamName(this.context.environment, 'job', this.id);
  }
}

/** Begins a job, unless it exists or was fenced off. */
export class QueueJob extends JobWrite<QueuedJob, QueueRejection> {
  decide(job: Job) {
    return queueJob(this.data, job);
  }
}

/** Fences off a job of the context's tenant that never came. Refused if the job exists. */
export class FenceJob extends JobWrite<{ readonly chargeId: string }, { readonly code: 'JOB_EXISTS' }> {
  decide(job: Job, at: string) {
    return voidJob({ ...this.data, tenant: this.context.tenant, at }, job);
  }
}

/** Ends an unfinished job of the context's tenant. Another tenant's job counts as not found. */
export class StopJob extends JobWrite<
  { readonly reason: string },
  { readonly code: 'JOB_NOT_FOUND' | 'JOB_FINISHED' }
> {
  decide(job: Job, at: string) {
    // Ownership is checked on the same state as whether the job can be cancelled.
    if (!('job' in job) || job.job.tenant !== this.context.tenant) {
      return reject({ code: 'JOB_NOT_FOUND' as const });
    }
    const decision = cancelJob({ ...this.data, at }, job);
    return decision.kind === 'accepted' ? decision : reject({ code: 'JOB_FINISHED' as const });
  }
}

/** Ends a job of the context's tenant that no worker has taken up yet. */
export class StopWaitingJob extends JobWrite<
  { readonly reason: string },
  { readonly code: 'JOB_NOT_FOUND' | 'JOB_BEGUN' }
> {
  decide(job: Job, at: string) {
    if (!('job' in job) || job.job.tenant !== this.context.tenant) {
      return reject({ code: 'JOB_NOT_FOUND' as const });
    }
    const decision = job.status === 'queued' && cancelJob({ ...this.data, at }, job);
    return decision && decision.kind === 'accepted' ? decision : reject({ code: 'JOB_BEGUN' as const });
  }
}

/** Ends the parent of a batch if all its parts have ended. */
export class EndBatch extends JobWrite<Omit<ConcludeBatch, 'at'>, ConcludeRejection> {
  decide(job: Job, at: string) {
    return concludeBatch({ ...this.data, at }, job);
  }
}

/** A worker takes the job up in the state that it last read. Refused if another worker has written since. */
export class TakeUpJob extends JobWrite<{ readonly worker: string }, RenderRejection> {
  private decided = false;

  decide(job: Job, at: string) {
    // The second decision means that another worker has written meanwhile, if only a stage, and has the job.
    if (this.decided && isUnfinished(job)) return reject({ code: 'NOT_YOUR_ATTEMPT' as const });
    this.decided = true;
    return startRender({ ...this.data, at }, job);
  }
}

/**
 * A worker's report on its attempt, as the domain decides on it. Refused once the job has ended or another worker has
 * taken it up.
 */
export class ReportRender extends JobWrite<
  (job: Job, at: string) => Decision<JobEvent, RenderRejection>,
  RenderRejection
> {
  decide(job: Job, at: string) {
    return this.data(job, at);
  }
}
