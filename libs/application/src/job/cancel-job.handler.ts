import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { QueuedJob } from '#domain/job/job.js';
import { CloseCharge } from '../account/charges.handler.js';
import { callerContext, type Caller } from '../command-context.js';
import { childrenOf } from '../dispatch/dispatched-jobs.js';
import { JobStreams } from '../read-models.js';
import type { JobDetail } from './job-queries.js';
import { FenceJob, StopJob } from './job-writes.handler.js';

export class CancelJob extends Command<CancelledJob> {
  constructor(
    readonly caller: Caller,
    readonly jobId: string,
    readonly requestId: string,
    readonly at: Date,
    /** Set if an operator cancels instead of the caller. */
    readonly by?: { readonly actor: string; readonly reason: string },
  ) {
    super();
  }
}

export type CancelledJob =
  | {
      readonly kind: 'cancelled';
      readonly detail: JobDetail;
      /** Position of the last event for it, the refund included. */
      readonly position: bigint;
    }
  /** Another tenant's job is `JOB_NOT_FOUND` as well. */
  | { readonly kind: 'refused'; readonly code: 'JOB_NOT_FOUND' | 'JOB_FINISHED' };

const reason = 'Cancelled by the caller. Your credits were refunded.';

/**
 * JobCancelled is appended at the revision that was read: if a cancel and another end come together, one wins
 * and the other is refused. The refund comes before the answer. If the process dies in between, the process
 * manager refunds with the same command. A batch's parent is cancelled first, and then its jobs: an ended
 * parent gets no more of them.
 */
@CommandHandler(CancelJob)
export class CancelJobHandler implements ICommandHandler<CancelJob> {
  constructor(
    private readonly commands: CommandBus,
    private readonly streams: JobStreams,
  ) {}

  /** @throws the store's errors; the job may be cancelled all the same, and is then refunded */
  async execute(command: CancelJob): Promise<CancelledJob> {
    const { caller, jobId } = command;
    const cancelled = await this.stop(command, jobId);
    if (cancelled.kind === 'refused') return cancelled;
    const { job } = cancelled;
    const children = childrenOf(job);
    const written = await Promise.all([
      this.refund(command, job.chargeId, 'job-cancelled'),
      ...children.map((child) => this.cancelChild(command, child)),
    ]);
    const view = (id: string) => this.streams.find(caller.environment, caller.tenant, id);
    const found = await view(jobId);
    if (!found) throw new Error(`job ${jobId} was cancelled and is not there`);
    const views = await Promise.all(children.map((child) => view(child.jobId)));
    return {
      kind: 'cancelled',
      detail: { ...found, children: views.flatMap((view) => (view ? [view.job] : [])) },
      position: written.reduce<bigint>(
        (latest, each) => (each !== undefined && each > latest ? each : latest),
        cancelled.position,
      ),
    };
  }

  /**
   * A child that has ended stays as it is. One that is not queued yet is fenced off, so that it never will be.
   */
  private async cancelChild(command: CancelJob, child: QueuedJob): Promise<bigint | undefined> {
    const { jobId, chargeId } = child;
    for (;;) {
      const cancelled = await this.stop(command, jobId);
      if (cancelled.kind === 'stopped') return this.refund(command, chargeId, 'job-cancelled');
      if (cancelled.code === 'JOB_FINISHED' || chargeId === null) return undefined;
      const context = contextOf(command, `cancel-void:${jobId}:${command.requestId}`);
      const voided = await this.commands.execute(new FenceJob(context, jobId, { chargeId }));
      if (voided.kind === 'accepted') return this.refund(command, chargeId, 'orphaned');
    }
  }

  private async stop(command: CancelJob, jobId: string) {
    const context = contextOf(command, `cancel:${jobId}:${command.requestId}`);
    const stopped = await this.commands.execute(
      new StopJob(context, jobId, { reason: command.by?.reason ?? reason }),
    );
    if (stopped.kind === 'rejected') return { kind: 'refused', code: stopped.rejection.code } as const;
    if (!('job' in stopped.state) || stopped.position === undefined) {
      throw new Error(`job ${jobId} ended without a beginning`);
    }
    return { kind: 'stopped', job: stopped.state.job, position: stopped.position } as const;
  }

  private async refund(
    command: CancelJob,
    chargeId: string | null,
    why: 'job-cancelled' | 'orphaned',
  ): Promise<bigint | undefined> {
    if (chargeId === null) return undefined;
    const { tenant } = command.caller;
    const caused = contextOf(command, chargeId);
    const end = { kind: 'refund', reason: why, chargeId, tenant } as const;
    const closed = await this.commands.execute(new CloseCharge(end, caused));
    return closed.kind === 'accepted' ? closed.position : undefined;
  }
}

function contextOf({ caller, requestId, at, by }: CancelJob, commandId: string) {
  return { ...callerContext(caller, commandId, requestId, at), ...(by && { actor: by.actor }) };
}
