import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { EventStore } from '#event-store/event-store.js';
import type { Caller } from '../caller.js';
import { GetJob, GetJobHandler, type JobDetail } from './get-job.handler.js';
import { JobWatch } from './job-watch.js';

/** One job of the caller once it has ended. Undefined when it has not, in time or before the signal aborts. */
export class AwaitJob extends Query<JobDetail | undefined> {
  constructor(
    readonly caller: Caller,
    /** Must be the caller's own: ownership is only checked when it ends. */
    readonly jobId: string,
    readonly timeoutMs: number,
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

@QueryHandler(AwaitJob)
export class AwaitJobHandler implements IQueryHandler<AwaitJob> {
  constructor(
    private readonly watch: JobWatch,
    private readonly store: EventStore,
    private readonly jobs: GetJobHandler,
  ) {}

  /** @throws what the store throws; the job goes on all the same */
  async execute({ caller, jobId, timeoutMs, signal }: AwaitJob): Promise<JobDetail | undefined> {
    const ended = await this.watch.waitForEnd(caller.environment, jobId, { timeoutMs, signal });
    if (!ended) return undefined;
    // The end is in the log: what is read must not be older than that.
    return this.jobs.execute(new GetJob(caller, jobId, await this.store.head()));
  }
}
