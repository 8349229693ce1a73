import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Decision } from '#domain/decision.js';
import type { JobEvent } from '#domain/job/job.events.js';
import { type Job, type QueuedJob, voidJob } from '#domain/job/job.js';
import { cancelJob } from '#domain/job/render-job.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { AccountWriter } from '../account/account-writer.js';
import { handle } from '../aggregate.js';
import type { Caller } from '../caller.js';
import { NotedJobStreams } from './noted-job-streams.js';
import { childrenOf } from '../dispatch/batch.js';
import { closeCharge } from '../process-managers/charge-closer.js';
import type { JobStreams } from '../read-models.js';
import { jobAggregate } from '../render/job-aggregate.js';
import type { JobDetail } from './get-job.handler.js';

/** Ends one of the caller's jobs before it is done, and gives back what it cost. */
export class CancelJob extends Command<CancelledJob> {
  constructor(
    readonly caller: Caller,
    readonly jobId: string,
    readonly requestId: string,
    readonly at: Date,
  ) {
    super();
  }
}

export type CancelledJob =
  | {
      readonly kind: 'cancelled';
      readonly detail: JobDetail;
      /** The last that was written for it, the refund included. */
      readonly position: bigint;
    }
  /** `JOB_NOT_FOUND` for another tenant's as well. */
  | { readonly kind: 'refused'; readonly code: 'JOB_NOT_FOUND' | 'JOB_FINISHED' };

const reason = 'Cancelled by the caller. Your credits were refunded.';

/**
 * JobCancelled is appended at the revision that was read, so of a cancel and an end that come together one wins and
 * the other is refused. What was charged is given back before the answer; should that not come to pass, the process
 * manager does it, by the same command. The jobs of a batch are cancelled with their parent, after it: once it has
 * ended, no other one is queued.
 */
@CommandHandler(CancelJob)
export class CancelJobHandler implements ICommandHandler<CancelJob> {
  constructor(
    private readonly store: EventStore,
    private readonly accounts: AccountWriter,
    @Inject(NotedJobStreams) private readonly streams: JobStreams,
  ) {}

  /** @throws what the store throws; the job may then be cancelled all the same, and is refunded if it is */
  async execute(command: CancelJob): Promise<CancelledJob> {
    const { caller, jobId } = command;
    const cancelled = await this.end(command, jobId, (job) => cancelOwn(command, job));
    if (cancelled.kind === 'refused') return cancelled;
    const { job } = cancelled;
    const children = childrenOf(job);
    const written = await Promise.all([
      this.refund(command, job.chargeId, 'job-cancelled'),
      ...children.map((child) => this.cancelChild(command, child)),
    ]);
    const found = await this.view(caller, jobId);
    if (!found) throw new Error(`job ${jobId} was cancelled and is not there`);
    const views = await Promise.all(children.map((child) => this.view(caller, child.jobId)));
    return {
      kind: 'cancelled',
      detail: { job: found, children: views.filter((view) => view !== undefined) },
      position: written.reduce<bigint>(
        (latest, each) => (each !== undefined && each > latest ? each : latest),
        cancelled.position,
      ),
    };
  }

  /** One that has ended stays as it is. One that is not queued yet is fenced off, so that it never will be. */
  private async cancelChild(command: CancelJob, child: QueuedJob): Promise<bigint | undefined> {
    const { jobId, chargeId } = child;
    for (;;) {
      const cancelled = await this.end(command, jobId, (job) => cancelOwn(command, job));
      if (cancelled.kind === 'ended') return this.refund(command, chargeId, 'job-cancelled');
      if (cancelled.code === 'JOB_FINISHED' || chargeId === null) return undefined;
      const at = command.at.toISOString();
      const fence = { chargeId, tenant: command.caller.tenant, at };
      const voided = await handle(
        this.store,
        streamName(command.caller.environment, 'job', jobId),
        jobAggregate,
        (job) => voidJob(fence, job),
        contextOf(command, `cancel-void:${jobId}:${command.requestId}`),
      );
      if (voided.kind === 'accepted') return this.refund(command, chargeId, 'orphaned');
    }
  }

  private async end(
    command: CancelJob,
    jobId: string,
    decide: (job: Job) => Decision<JobEvent, { readonly code: 'JOB_NOT_FOUND' | 'JOB_FINISHED' }>,
  ) {
    const stream = streamName(command.caller.environment, 'job', jobId);
    const context = contextOf(command, `cancel:${jobId}:${command.requestId}`);
    const ended = await handle(this.store, stream, jobAggregate, decide, context);
    if (ended.kind === 'rejected') return { kind: 'refused', code: ended.rejection.code } as const;
    if (!('job' in ended.state) || ended.position === undefined) {
      throw new Error(`${stream} ended without a beginning`);
    }
    return { kind: 'ended', job: ended.state.job, position: ended.position } as const;
  }

  private async refund(
    { caller, requestId, at }: CancelJob,
    chargeId: string | null,
    why: 'job-cancelled' | 'orphaned',
  ): Promise<bigint | undefined> {
    if (chargeId === null) return undefined;
    const { environment, tenant, keyId } = caller;
    const refund = { kind: 'refund', reason: why, chargeId, tenant } as const;
    return closeCharge(this.accounts, refund, { environment, requestId, actor: `key:${keyId}`, at });
  }

  private async view({ environment, tenant }: Caller, jobId: string) {
    return (await this.streams.find(environment, tenant, jobId))?.job;
  }
}

/** Whose job it is, is decided on the same state as whether it can be cancelled. */
function cancelOwn({ caller, at }: CancelJob, job: Job) {
  if (!('job' in job) || job.job.tenant !== caller.tenant) {
    return { kind: 'rejected', rejection: { code: 'JOB_NOT_FOUND' } } as const;
  }
  const decision = cancelJob({ reason, at: at.toISOString() }, job);
  if (decision.kind === 'accepted') return decision;
  return { kind: 'rejected', rejection: { code: 'JOB_FINISHED' } } as const;
}

function contextOf({ caller, requestId, at }: CancelJob, commandId: string) {
  const { environment, tenant, keyId } = caller;
  return { environment, tenant, commandId, requestId, actor: `key:${keyId}`, at };
}
