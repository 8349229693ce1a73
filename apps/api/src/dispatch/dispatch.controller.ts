import { Controller, Headers, HttpCode, Inject, Post, Req, Res, type Type } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#application/caller.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { DispatchWorkflow } from '#application/dispatch/dispatch-workflow.handler.js';
import { DryRun } from '#application/dispatch/dry-run.handler.js';
import type { Workflow } from '#workflows/define-workflow.js';
import { Clock } from '#platform/clock.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { invalid } from '../errors/api-error.js';
import { consistencyToken } from '../http/consistency-token.js';
import { JobPresenter } from '../jobs/job-presenter.js';
import type { JobDetailResponse } from '../jobs/jobs.dto.js';
import { ValidBody, ValidQuery } from '../validation/valid-body.js';
import { acceptedOrRefused, estimateOf, type Accepted } from './dispatch-answer.js';
import { DispatchQuery, type DryRunResponse, type WorkflowAcceptedResponse } from './dispatch.dto.js';
import { describeDispatch } from './dispatch.openapi.js';
import { hashBody, parseIdempotencyKey } from './idempotency-key.js';
import { ImageModels } from './image-model-rules.js';
import { JobWaits } from './job-waits.js';
import { preferredWait } from './prefer-header.js';
import { parseTestOutcome, testOutcomeHeader } from './test-outcome.js';

type DispatchResponse = WorkflowAcceptedResponse | JobDetailResponse | DryRunResponse;

/** The controller of `POST /v1/{name}`. All workflows behave alike, so each gets a class of this one making. */
export function dispatchController(workflow: Workflow): Type {
  const { name } = workflow;
  const endpoint = `/v1/${name}`;

  @Controller()
  class DispatchController {
    constructor(
      private readonly commands: CommandBus,
      private readonly queries: QueryBus,
      private readonly consistency: ReadYourWrites,
      private readonly imageModels: ImageModels,
      private readonly waits: JobWaits,
      private readonly presenter: JobPresenter,
      @Inject(Clock) private readonly clock: Clock,
    ) {}

    @Post(endpoint)
    @HttpCode(202)
    @RouteConfig({ operation: name })
    @RequireCapability('jobs:create')
    @describeDispatch(workflow)
    async dispatch(
      @CurrentCaller() caller: Caller,
      @ValidQuery(DispatchQuery) { dry_run: dryRun }: DispatchQuery,
      @ValidBody(workflow.body) body: object,
      @Headers() headers: FastifyRequest['headers'],
      @Req() request: FastifyRequest,
      @Res({ passthrough: true }) reply: FastifyReply,
    ): Promise<DispatchResponse> {
      const problems = [...workflow.problems(body), ...this.imageModels.problems(body)];
      if (problems.length > 0) throw invalid(problems);
      const key = parseIdempotencyKey(headers['idempotency-key']);
      const testOutcome = parseTestOutcome(headers[testOutcomeHeader.toLowerCase()], caller);
      const asked = {
        ...{ caller, operation: name, body: { ...this.imageModels.withoutUnknownQuality(body) } },
        ...(testOutcome === undefined ? {} : { testOutcome }),
        at: this.clock(),
      };
      if (dryRun) {
        void reply.status(200);
        return estimateOf(name, await this.queries.execute(new DryRun(asked)));
      }
      const bodyHash = hashBody(testOutcome === undefined ? body : { body, testOutcome });
      const idempotency = key === undefined ? undefined : { key, bodyHash };
      const answer = await this.commands.execute(
        new DispatchWorkflow({ ...asked, endpoint }, request.id, idempotency),
      );
      const accepted = acceptedOrRefused(name, answer);
      this.consistency.noteWrite(caller, accepted.position);
      void reply.headers(headersOf(accepted, caller));
      return (await this.#end(accepted, caller, headers.prefer, reply)) ?? acceptedResponse(accepted);
    }

    /** The job's detail, where the client wants to wait for its end and it comes in time. */
    async #end(
      { ids }: Accepted,
      caller: Caller,
      prefer: string | string[] | undefined,
      reply: FastifyReply,
    ): Promise<JobDetailResponse | undefined> {
      const seconds = preferredWait(prefer);
      if (seconds === undefined) return undefined;
      const detail = await this.waits.forEnd(caller, ids.jobId, seconds, reply);
      if (!detail) return undefined;
      void reply.status(200).header('preference-applied', `wait=${seconds}`);
      return this.presenter.detail(detail);
    }
  }

  return DispatchController;
}

function headersOf({ ids, position, replayed }: Accepted, caller: Caller): Record<string, string> {
  return {
    location: `/v1/jobs/${ids.jobId}`,
    'x-consistency-token': consistencyToken(caller, position),
    ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
  };
}

function acceptedResponse({ ids, creditsCost }: Accepted): WorkflowAcceptedResponse {
  const { requestId, jobId } = ids;
  return { request_id: requestId, job_id: jobId, status: 'NOT_STARTED', credits_cost: creditsCost };
}
