import { Controller, HttpCode, Inject, Injectable, Post, Req, Res, type Type } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { DispatchWorkflow } from '#application/dispatch/dispatch-workflow.handler.js';
import { DryRun } from '#application/dispatch/dry-run.handler.js';
import { Clock } from '#platform/clock.js';
import { isRemote } from '#platform/image-models.js';
import type { Workflow } from '#workflows/define-workflow.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { invalid } from '../http/api-error.js';
import { tellWrite } from '../http/consistency-token.js';
import { JobPresenter } from '../jobs/job-presenter.js';
import type { JobDetailResponse } from '../jobs/jobs.dto.js';
import { ValidBody, ValidQuery } from '../http/valid-request.js';
import { acceptedOrRefused, estimateOf, type AcceptedDispatch } from './dispatch-answer.js';
import { hashBody, parseIdempotencyKey, parseTestOutcome, preferredWait } from './dispatch-headers.js';
import {
  DispatchQuery,
  type DryRunResponse,
  type WorkflowAcceptedResponse,
  describeDispatch,
} from './dispatch.openapi.js';
import { ImageModels, withoutUnknownQuality } from './image-model-rules.js';
import { JobWaits } from './job-waits.js';

type DispatchResponse = WorkflowAcceptedResponse | JobDetailResponse | DryRunResponse;

interface Incoming {
  readonly caller: Caller;
  /** Each field of it is fine by itself. */
  readonly body: object;
  readonly dryRun: boolean;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Takes dispatches in: the same way for all workflows. */
@Injectable()
export class Dispatches {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly consistency: ReadYourWrites,
    private readonly imageModels: ImageModels,
    private readonly waits: JobWaits,
    private readonly presenter: JobPresenter,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async take(
    workflow: Workflow,
    { caller, body, dryRun, request, reply }: Incoming,
  ): Promise<DispatchResponse> {
    const { name } = workflow;
    const model = this.imageModels.choose(workflow, body, caller);
    const problems = [...workflow.problems(body), ...(model.kind === 'refused' ? model.problems : [])];
    if (problems.length > 0 || model.kind === 'refused') throw invalid(problems);
    const key = parseIdempotencyKey(request.headers['idempotency-key']);
    const testOutcome = parseTestOutcome(request.headers, caller);
    const asked = {
      ...{ caller, workflow: name, body: { ...withoutUnknownQuality(body, model.asked) } },
      ...{ imageModel: model.draws.id, remote: isRemote(model.draws) },
      ...(testOutcome === undefined ? {} : { testOutcome }),
      at: this.clock(),
    };
    if (dryRun) {
      void reply.status(200);
      return estimateOf(name, await this.queries.execute(new DryRun(asked)));
    }
    const answer = await this.commands.execute(
      new DispatchWorkflow(
        { ...asked, endpoint: endpointOf(workflow) },
        request.id,
        key === undefined
          ? undefined
          : { key, bodyHash: hashBody(testOutcome === undefined ? body : { body, testOutcome }) },
      ),
    );
    const accepted = acceptedOrRefused(name, answer);
    tellWrite(this.consistency, caller, accepted.position, reply);
    void reply.headers(headersOf(accepted));
    return (await this.endOf(accepted, caller, request, reply)) ?? acceptedResponse(accepted);
  }

  /** The job's detail, where the client wants to wait for its end and it comes in time. */
  private async endOf(
    { ids }: AcceptedDispatch,
    caller: Caller,
    { headers }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<JobDetailResponse | undefined> {
    const seconds = preferredWait(headers.prefer);
    if (seconds === undefined) return undefined;
    const detail = await this.waits.forEnd(caller, ids.jobId, seconds, reply);
    if (!detail) return undefined;
    void reply.status(200).header('preference-applied', `wait=${seconds}`);
    return this.presenter.detail(detail);
  }
}

const endpointOf = ({ name }: Workflow): string => `/v1/${name}`;

/** The controller of `POST /v1/{name}`: one class for each workflow, because Nest keeps routes and descriptions by class. */
export function dispatchController(workflow: Workflow): Type {
  @Controller()
  class DispatchController {
    constructor(private readonly dispatches: Dispatches) {}

    @Post(endpointOf(workflow))
    @HttpCode(202)
    @RouteConfig({ workflow: workflow.name })
    @RequireCapability('jobs:create')
    @describeDispatch(workflow)
    dispatch(
      @CurrentCaller() caller: Caller,
      @ValidQuery(DispatchQuery) { dry_run: dryRun }: DispatchQuery,
      @ValidBody(workflow.body) body: object,
      @Req() request: FastifyRequest,
      @Res({ passthrough: true }) reply: FastifyReply,
    ): Promise<DispatchResponse> {
      return this.dispatches.take(workflow, { caller, body, dryRun, request, reply });
    }
  }

  return DispatchController;
}

function headersOf({ ids, replayed }: AcceptedDispatch): Record<string, string> {
  return {
    location: `/v1/jobs/${ids.jobId}`,
    ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
  };
}

function acceptedResponse({ ids, creditsCost }: AcceptedDispatch): WorkflowAcceptedResponse {
  const { requestId, jobId } = ids;
  return { request_id: requestId, job_id: jobId, status: 'NOT_STARTED', credits_cost: creditsCost };
}
