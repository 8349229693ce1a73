import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { CancelJob } from '#application/job/cancel-job.handler.js';
import { Clock } from '#platform/clock.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeCancelErrors, DescribePublicId, DescribeWrite } from '../docs/describe.js';
import { ApiError, notFound } from '../errors/api-error.js';
import { consistencyToken } from '../http/consistency-token.js';
import { EmptyBody } from '../http/empty-body.js';
import { PublicId } from '../http/id-param.js';
import { JobPresenter } from './job-presenter.js';
import { JobDetailResponse } from './jobs.dto.js';

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
    operationId: 'cancelJob',
    summary: 'Cancel a job that has not ended, and get its credits back',
    description:
      "The job ends as `FAILURE`: its last event is `failed`, with `extra.error.code` `CANCELLED`. A batch's jobs " +
      'that have not ended are cancelled with it. The credits are back with the answer.',
  })
  @ApiBody({ required: false, schema: { type: 'object', additionalProperties: false } })
  @DescribePublicId('job')
  @DescribeWrite(200, JobDetailResponse)
  @DescribeCancelErrors()
  async cancel(
    @CurrentCaller() caller: Caller,
    @PublicId('job') jobId: string,
    @EmptyBody() _body: undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JobDetailResponse> {
    const answer = await this.commands.execute(new CancelJob(caller, jobId, request.id, this.clock()));
    if (answer.kind === 'refused') throw refusal(answer.code);
    this.consistency.noteWrite(caller, answer.position);
    void reply.header('x-consistency-token', consistencyToken(caller, answer.position));
    return this.presenter.detail(answer.detail);
  }
}

function refusal(code: 'JOB_NOT_FOUND' | 'JOB_FINISHED'): ApiError {
  if (code === 'JOB_NOT_FOUND') return notFound('job');
  return new ApiError('JOB_ALREADY_FINISHED', 'The job has ended already: there is nothing to cancel.');
}
