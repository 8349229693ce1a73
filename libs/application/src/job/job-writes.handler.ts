import { Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { reject, type Decision } from '#domain/decision.js';
import { concludeBatch, type ConcludeBatch, type ConcludeRejection } from '#domain/job/conclude-batch.js';
import type { EventOfType } from '#domain/events.js';
import type { JobEvent, Provenance } from '#domain/job/job.events.js';
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
import {
  answerCall,
  callEngine,
  cancelJob,
  completeStage,
  failJob,
  type RenderRejection,
  startRender,
  submitCall,
  succeedJob,
} from '#domain/job/render-job.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { type Aggregate, handle, type Handled, type Loaded } from '../aggregate.js';
import type { CommandContext } from '../command-context.js';

export const jobAggregate: Aggregate<Job, JobEvent> = { initial: initialJob, evolve: evolveJob };

/**
 * A write on the stream of one job. `known` is the state that the sender has read or expects, and spares the
 * read. If it is wrong, the store refuses the append and the stream is read after all.
 */
abstract class JobWrite<Data, Rejection> extends Command<Handled<Job, Rejection>> {
  constructor(
    readonly context: CommandContext,
    readonly jobId: string,
    readonly data: Data,
    readonly known?: Loaded<Job>,
  ) {
    super();
  }
}

@Injectable()
abstract class JobWriter {
  constructor(private readonly store: EventStore) {}

  protected write<Rejection>(
    { context, jobId, known }: JobWrite<unknown, Rejection>,
    decide: (job: Job, at: string) => Decision<JobEvent, Rejection>,
  ): Promise<Handled<Job, Rejection>> {
    const stream = streamName(context.environment, 'job', jobId);
    const at = context.at.toISOString();
    return handle(this.store, stream, jobAggregate, (job) => decide(job, at), context, known);
  }
}

/** Begins a job, unless it exists or was fenced off. */
export class QueueJob extends JobWrite<QueuedJob, QueueRejection> {}

@CommandHandler(QueueJob)
export class QueueJobHandler extends JobWriter implements ICommandHandler<QueueJob> {
  execute(command: QueueJob) {
    return this.write(command, (job) => queueJob(command.data, job));
  }
}

/** Fences off a job of the context's tenant that never came. Refused if the job exists. */
export class FenceJob extends JobWrite<{ readonly chargeId: string }, { readonly code: 'JOB_EXISTS' }> {}

@CommandHandler(FenceJob)
export class FenceJobHandler extends JobWriter implements ICommandHandler<FenceJob> {
  execute(command: FenceJob) {
    const { tenant } = command.context;
    return this.write(command, (job, at) => voidJob({ ...command.data, tenant, at }, job));
  }
}

/** Ends an unfinished job of the context's tenant. Another tenant's job counts as not found. */
export class StopJob extends JobWrite<
  { readonly reason: string },
  { readonly code: 'JOB_NOT_FOUND' | 'JOB_FINISHED' }
> {}

@CommandHandler(StopJob)
export class StopJobHandler extends JobWriter implements ICommandHandler<StopJob> {
  execute(command: StopJob) {
    return this.write(command, (job, at) => {
      // Ownership is checked on the same state as whether the job can be cancelled.
      if (!('job' in job) || job.job.tenant !== command.context.tenant) {
        return reject({ code: 'JOB_NOT_FOUND' as const });
      }
      const decision = cancelJob({ ...command.data, at }, job);
      return decision.kind === 'accepted' ? decision : reject({ code: 'JOB_FINISHED' as const });
    });
  }
}

/** Ends the parent of a batch if all its parts have ended. */
export class EndBatch extends JobWrite<Omit<ConcludeBatch, 'at'>, ConcludeRejection> {}

@CommandHandler(EndBatch)
export class EndBatchHandler extends JobWriter implements ICommandHandler<EndBatch> {
  execute(command: EndBatch) {
    return this.write(command, (job, at) => concludeBatch({ ...command.data, at }, job));
  }
}

/** A worker takes the job up in the state that it last read. Refused if another worker has written since. */
export class TakeUpJob extends JobWrite<{ readonly worker: string }, RenderRejection> {}

@CommandHandler(TakeUpJob)
export class TakeUpJobHandler extends JobWriter implements ICommandHandler<TakeUpJob> {
  execute(command: TakeUpJob) {
    let decided = false;
    return this.write(command, (job, at) => {
      // The second decision means that another worker has written meanwhile, if only a stage, and has the job.
      if (decided && isUnfinished(job)) return reject({ code: 'NOT_YOUR_ATTEMPT' as const });
      decided = true;
      return startRender({ ...command.data, at }, job);
    });
  }
}

type Said<Type extends JobEvent['type']> = Omit<EventOfType<Type>['data'], 'at'>;

/** A worker's report on its attempt. */
export type RenderReport =
  | { readonly kind: 'stage'; readonly attempt: number; readonly said: Said<'StageCompleted'> }
  | { readonly kind: 'call'; readonly said: Omit<Said<'EngineCalled'>, 'tenant' | 'operation'> }
  | { readonly kind: 'submission'; readonly attempt: number; readonly said: Said<'EngineSubmitted'> }
  | { readonly kind: 'answer'; readonly attempt: number; readonly said: Said<'EngineAnswered'> }
  | { readonly kind: 'success'; readonly said: Said<'JobSucceeded'> & { readonly provenance: Provenance } }
  | { readonly kind: 'failure'; readonly said: Said<'JobFailed'> };

/** Refused once the job has ended or another worker has taken it up. */
export class ReportRender extends JobWrite<RenderReport, RenderRejection> {}

@CommandHandler(ReportRender)
export class ReportRenderHandler extends JobWriter implements ICommandHandler<ReportRender> {
  execute(command: ReportRender) {
    return this.write(command, (job, at) => decideReport(command.data, at, job));
  }
}

function decideReport(report: RenderReport, at: string, job: Job): Decision<JobEvent, RenderRejection> {
  switch (report.kind) {
    case 'stage':
      return completeStage({ ...report.said, attempt: report.attempt, at }, job);
    case 'call': {
      const { tenant = '', operation = '' } = 'job' in job ? job.job : {};
      return callEngine({ ...report.said, tenant, operation, at }, job);
    }
    case 'submission':
      return submitCall({ ...report.said, attempt: report.attempt, at }, job);
    case 'answer':
      return answerCall({ ...report.said, attempt: report.attempt, at }, job);
    case 'success':
      return succeedJob({ ...report.said, at }, job);
    case 'failure':
      return failJob({ ...report.said, at }, job);
    default:
      return report satisfies never;
  }
}
