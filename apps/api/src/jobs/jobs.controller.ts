import { Controller, Get, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { GetJob, ListJobs } from '#application/job/job-queries.handler.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribePublicId, DescribeRead } from '../docs/describe.js';
import { notFound } from '../errors/api-error.js';
import { ConsistencyToken } from '../http/consistency-token.js';
import { PublicId } from '../http/id-param.js';
import { unwrap } from '../http/staleness.js';
import { ValidQuery } from '../validation/valid-request.js';
import { JobPresenter, presentSummary } from './job-presenter.js';
import { JobDetailResponse, JobListResponse, ListJobsQuery } from './jobs.dto.js';

@ApiTags('jobs')
@Controller('/v1/jobs')
@RequireCapability('jobs:read')
export class JobsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly presenter: JobPresenter,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'listJobs', summary: 'Jobs, newest first' })
  @ApiQuery({ type: ListJobsQuery })
  @DescribeRead(JobListResponse)
  @DescribeErrors(401, 403, 422)
  async list(
    @CurrentCaller() caller: Caller,
    @ValidQuery(ListJobsQuery) query: ListJobsQuery,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JobListResponse> {
    const { limit, offset, status, job_type: jobTypes, created_after: after } = query;
    const createdAfter = after === undefined ? undefined : new Date(after);
    const filter = { limit, offset, status, jobTypes, createdAfter };
    const jobs = unwrap(await this.queries.execute(new ListJobs(caller, filter, token)), reply);
    return { jobs: jobs.map(presentSummary), limit, offset, count: jobs.length };
  }

  @Get(':public_id')
  @ApiOperation({ operationId: 'getJob', summary: 'One job, with its result' })
  @DescribePublicId('job')
  @DescribeRead(JobDetailResponse)
  @DescribeErrors(401, 403, 404, 422)
  async get(
    @CurrentCaller() caller: Caller,
    @PublicId('job') jobId: string,
    @ConsistencyToken() token: bigint | undefined,
  ): Promise<JobDetailResponse> {
    const found = await this.queries.execute(new GetJob(caller, jobId, token));
    if (!found) throw notFound('job');
    return this.presenter.detail(found);
  }
}
