import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '../caller.js';
import { NotedJobStreams } from './noted-job-streams.js';
import { ReadYourWrites } from '../consistency/read-your-writes.js';
import { type JobStreams, type JobView, ReadModels } from '../read-models.js';

export interface JobDetail {
  readonly job: JobView;
  readonly children: readonly JobView[];
}

/** One job of the caller. Undefined when it is unknown or another tenant's, which must look the same. */
export class GetJob extends Query<JobDetail | undefined> {
  constructor(
    readonly caller: Caller,
    readonly jobId: string,
    readonly token?: bigint,
  ) {
    super();
  }
}

/** A read model that is this far behind is not waited for: the job's own stream is at hand. */
export const patienceMs = 50;

@QueryHandler(GetJob)
export class GetJobHandler implements IQueryHandler<GetJob> {
  constructor(
    private readonly reads: ReadModels,
    @Inject(NotedJobStreams) private readonly streams: JobStreams,
    private readonly consistency: ReadYourWrites,
  ) {}

  async execute({ caller, jobId, token }: GetJob): Promise<JobDetail | undefined> {
    const { environment, tenant } = caller;
    const reads = this.reads.of(environment).jobs;
    const required = this.consistency.required(caller, token);
    const reached = await this.consistency.waitFor(caller, 'jobs', required, patienceMs);
    const job =
      (reached ? await reads.find(tenant, jobId) : undefined) ??
      (await this.streams.find(environment, tenant, jobId))?.job;
    return job && { job, children: await reads.children(tenant, jobId) };
  }
}
