import { Controller, Headers, HttpCode, Inject, Post, Req, Res, type Type } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#application/caller.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { DispatchWorkflow } from '#application/dispatch/dispatch-workflow.handler.js';
import type { WorkflowName } from '#domain/workflow/workflows.js';
import type { Clock } from '#platform/clock.js';
import { CLOCK } from '../api-dependencies.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { invalid } from '../errors/api-error.js';
import { consistencyToken } from '../http/consistency-token.js';
import { ValidBody } from '../validation/valid-body.js';
import { acceptedOrRefused } from './dispatch-answer.js';
import type { WorkflowAcceptedResponse } from './dispatch.dto.js';
import { describeDispatch } from './dispatch.openapi.js';
import { hashBody, parseIdempotencyKey } from './idempotency-key.js';
import type { WorkflowBody } from './workflow-bodies.js';

/** The controller of `POST /v1/{name}`. All workflows behave alike, so each gets a class of this one making. */
export function dispatchController(name: WorkflowName, workflow: WorkflowBody): Type {
  const endpoint = `/v1/${name}`;

  @Controller()
  class DispatchController {
    constructor(
      private readonly commands: CommandBus,
      private readonly consistency: ReadYourWrites,
      @Inject(CLOCK) private readonly clock: Clock,
    ) {}

    @Post(endpoint)
    @HttpCode(202)
    @RouteConfig({ operation: name })
    @RequireCapability('jobs:create')
    @describeDispatch(name, workflow)
    async dispatch(
      @CurrentCaller() caller: Caller,
      @ValidBody(workflow.shape) body: object,
      @Headers('idempotency-key') keyHeader: string | undefined,
      @Req() request: FastifyRequest,
      @Res({ passthrough: true }) reply: FastifyReply,
    ): Promise<WorkflowAcceptedResponse> {
      const problems = workflow.problems?.(body) ?? [];
      if (problems.length > 0) throw invalid(problems);
      const key = parseIdempotencyKey(keyHeader);

      const answer = await this.commands.execute(
        new DispatchWorkflow(
          { caller, operation: name, endpoint, body: { ...body }, at: this.clock() },
          request.id,
          key === undefined ? undefined : { key, bodyHash: hashBody(body) },
        ),
      );
      const accepted = acceptedOrRefused(answer);
      this.consistency.noteWrite(caller, accepted.position);
      void reply.headers({
        location: `/v1/jobs/${accepted.ids.jobId}`,
        'x-consistency-token': consistencyToken(caller, accepted.position),
        ...(accepted.replayed ? { 'idempotent-replayed': 'true' } : {}),
      });
      const { requestId, jobId } = accepted.ids;
      return {
        request_id: requestId,
        job_id: jobId,
        status: 'NOT_STARTED',
        credits_cost: accepted.creditsCost,
      };
    }
  }

  return DispatchController;
}
