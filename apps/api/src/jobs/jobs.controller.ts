import { Controller, Get, Res, HttpCode, Inject, Post, Req, StreamableFile } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiQuery, ApiResponse, ApiTags, ApiBody } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { JobQueries } from '#application/job/job-queries.js';
import { OpenToClientTokens, RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import {
  DescribeErrors,
  describedHeaders,
  DescribePublicId,
  DescribeRead,
  DescribeWrite,
} from '../http/describe.js';
import { ApiError, invalid, notFound } from '../http/api-error.js';
import { ConsistencyToken, unwrap, tellWrite } from '../http/consistency-token.js';
import { PublicId, ValidQuery, EmptyBody } from '../http/valid-request.js';
import { JobPictures } from './job-pictures.js';
import { JobPresenter } from './job-presenter.js';
import { JobDetailResponse, JobListResponse, ListJobsQuery } from './jobs.dto.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { CancelJob } from '#application/job/cancel-job.handler.js';
import { Clock } from '#platform/clock.js';

function wrongCursor(msg: string): ApiError {
  return invalid([{ loc: ['query', 'cursor'], msg, type: 'value' }]);
}

@ApiTags('jobs')
@Controller('/v1/jobs')
@RequireCapability('jobs:read')
export class JobsController {
  constructor(
    private readonly jobs: JobQueries,
    private readonly presenter: JobPresenter,
    private readonly pictures: JobPictures,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Jobs, newest first' })
  @ApiQuery({ type: ListJobsQuery })
  @DescribeRead(JobListResponse)
  @DescribeErrors(401, 403, 422)
  async listJobs(
    @CurrentCaller() caller: Caller,
    @ValidQuery(ListJobsQuery) query: ListJobsQuery,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JobListResponse> {
    const { limit, offset, cursor, status, job_type: jobTypes, created_after: after } = query;
    if (cursor !== undefined && offset > 0)
      throw wrongCursor('and offset exclude each other: send one of them');
    const createdAfter = after === undefined ? undefined : new Date(after);
    const filter = { limit, offset, cursor, status, jobTypes, createdAfter };
    const page = unwrap(await this.jobs.list(caller, filter, token), reply);
    if (!page) throw wrongCursor('is not one of your jobs: pass the next_cursor of the previous page');
    const jobs = await Promise.all(page.items.map((job) => this.presenter.summary(job)));
    const isLast = jobs.length < limit;
    const next_cursor = isLast ? null : (jobs.at(-1)?.public_id ?? null);
    return { jobs, limit, offset, count: jobs.length, total: page.total, next_cursor };
  }

  @Get(':public_id')
  @OpenToClientTokens('job')
  @ApiOperation({ summary: 'One job, with its result' })
  @DescribePublicId('job')
  @DescribeRead(JobDetailResponse)
  @DescribeErrors(401, 403, 404, 422)
  async getJob(
    @CurrentCaller() caller: Caller,
    @PublicId('job') jobId: string,
    @ConsistencyToken() token: bigint | undefined,
  ): Promise<JobDetailResponse> {
    const found = await this.jobs.get(caller, jobId, token);
    if (!found) throw notFound('job');
    return this.presenter.detail(found, caller);
  }

  @Get(':public_id/pictures')
  @OpenToClientTokens('job')
  @ApiOperation({
    operationId: 'getJobPictures',
    summary: 'The final pictures of a job, as a ZIP',
    description:
      'Of a batch, those of its jobs. The last file, `pictures.json`, says what each is, and which were erased. A job that has not ' +
      'ended, or has failed, has none. An archive that ends early, because of an error, is no valid ZIP.',
  })
  @DescribePublicId('job')
  @ApiResponse({
    status: 200,
    description: 'The archive.',
    content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
    headers: {
      ...describedHeaders(),
      'Content-Disposition': { description: 'Names the file after the job.', schema: { type: 'string' } },
    },
  })
  @DescribeErrors(401, 403, 404)
  async getPictures(
    @CurrentCaller() caller: Caller,
    @PublicId('job') jobId: string,
  ): Promise<StreamableFile> {
    const found = await this.jobs.get(caller, jobId);
    if (!found) throw notFound('job');
    return new StreamableFile(this.pictures.zipOf(found, this.clock()), {
      type: 'application/zip',
      disposition: `attachment; filename="${jobId}.zip"`,
    });
  }
}

@ApiTags('jobs')
@Controller('/v1/jobs')
export class CancelController {
  constructor(
    private readonly commands: CommandBus,
    private readonly consistency: ReadYourWrites,
    private readonly presenter: JobPresenter,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Post(':public_id/cancel')
  @HttpCode(200)
  @RequireCapability('jobs:create')
  @ApiOperation({
    summary: 'Cancel a job that has not ended, and get its credits back',
    description:
      "The job ends as `FAILURE`: its last event is `failed`, with `extra.error.code` `CANCELLED`. A batch's jobs " +
      'that have not ended are cancelled with it. By the time of the answer, the credits are refunded.',
  })
  @ApiBody({ required: false, schema: { type: 'object', additionalProperties: false } })
  @DescribePublicId('job')
  @DescribeWrite(200, JobDetailResponse)
  @DescribeErrors(401, 403, 404, '409 of a cancel', 413, 415, 422)
  async cancelJob(
    @CurrentCaller() caller: Caller,
    @PublicId('job') jobId: string,
    @EmptyBody() _body: undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JobDetailResponse> {
    const answer = await this.commands.execute(new CancelJob(caller, jobId, request.id, this.clock()));
    if (answer.kind === 'refused')
      throw answer.code === 'JOB_NOT_FOUND'
        ? notFound('job')
        : new ApiError('JOB_ALREADY_FINISHED', 'The job has ended already: there is nothing to cancel.');
    tellWrite(this.consistency, caller, answer.position, reply);
    return this.presenter.detail(answer.detail, caller);
  }
}
