import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '../caller.js';
import { type Fresh, ReadYourWrites } from '../consistency/read-your-writes.js';
import { type JobsFilter, type JobView, ReadModels } from '../read-models.js';

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
    private readonly reads: ReadModels,
    private readonly consistency: ReadYourWrites,
  ) {}

  execute({ caller, filter, token }: ListJobs): Promise<Fresh<readonly JobView[]>> {
    return this.consistency.read(caller, 'jobs', token, () =>
      this.reads.of(caller.environment).jobs.list(caller.tenant, filter),
    );
  }
}
