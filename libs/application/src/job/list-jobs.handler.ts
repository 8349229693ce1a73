import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Environment } from '#domain/streams.js';
import type { Caller } from '../caller.js';
import type { Fresh, ReadYourWrites } from '../consistency/read-your-writes.js';
import type { JobReads, JobsFilter, JobView } from './job-view.js';

export class ListJobs extends Query<Fresh<readonly JobView[]>> {
  constructor(
    readonly caller: Caller,
    readonly filter: JobsFilter,
    readonly token?: bigint,
  ) {
    super();
  }
}

@QueryHandler(ListJobs)
export class ListJobsHandler implements IQueryHandler<ListJobs> {
  constructor(
    private readonly jobs: Readonly<Record<Environment, JobReads>>,
    private readonly consistency: ReadYourWrites,
  ) {}

  execute({ caller, filter, token }: ListJobs): Promise<Fresh<readonly JobView[]>> {
    return this.consistency.read(caller, 'jobs', token, () =>
      this.jobs[caller.environment].list(caller.tenant, filter),
    );
  }
}
