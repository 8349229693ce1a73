import { Controller, HttpCode, Inject, Injectable, Post, Req, Res, type Type } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { DispatchWorkflow, type DispatchAnswer } from '#application/dispatch/dispatch-workflow.handler.js';
import { DryRun, type DryRunAnswer } from '#application/dispatch/dry-run.js';
import { Clock } from '#platform/clock.js';
import { isRemote, knowsDrawnPeopleOnly } from '#platform/image-models.js';
import type { Workflow } from '#workflows/define-workflow.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { erased, invalid, ApiError, notFound } from '../http/api-error.js';
import { tellWrite } from '../http/consistency-token.js';
import { JobPresenter } from '../jobs/job-presenter.js';
import type { JobDetailResponse } from '../jobs/jobs.dto.js';
import { ValidBody, ValidQuery } from '../http/valid-request.js';
import {
  parseExpectedCredits,
  parseIdempotencyKey,
  parseTestOutcome,
  preferredWait,
} from './dispatch-headers.js';
import {
  DispatchQuery,
  type DryRunResponse,
  type WorkflowAcceptedResponse,
  describeDispatch,
} from './dispatch.openapi.js';
import { ImageModels, withoutUnknownQuality } from './image-model-rules.js';
import { JobWaits } from './job-waits.js';
import { hashBody } from '#application/dispatch/idempotency.js';
import type { DispatchOutcome } from '#application/dispatch/dispatcher.js';
import type { UnfitReference, UnusableReference } from '#application/dispatch/references.js';
import type { FieldProblem } from '#validation/validate.js';

type Refused = Extract<DispatchOutcome, { kind: 'refused' }>;

/** The dispatch that was accepted. @throws ApiError for every other answer */
function acceptedOrRefused(workflow: string, answer: DispatchAnswer, unfit: Unfit) {
  if (answer.kind === 'key-in-use') {
    throw new ApiError(
      'IDEMPOTENCY_KEY_IN_USE',
      'A request with this Idempotency-Key is still in progress. Send yours again in a moment: it gets the same answer.',
      { headers: { 'retry-after': '1' } },
    );
  }
  if (answer.kind === 'key-reused') {
    const msg = 'was used for another body. Use a new key for a new request';
    const detail = [{ loc: ['header', 'Idempotency-Key'], msg, type: 'value' }];
    throw new ApiError('IDEMPOTENCY_KEY_REUSED', `This Idempotency-Key ${msg}. Nothing was charged.`, {
      detail,
    });
  }
  const { outcome, replayed } = answer;
  if (outcome.kind === 'refused') throw refused(workflow, outcome.rejection);
  if (outcome.kind !== 'accepted') throw unusableReference(outcome, unfit);
  return { ...outcome, replayed };
}

/** The mistake to report for a picture that the chosen model cannot work on. */
type Unfit = (reference: UnfitReference) => FieldProblem;

/** Names the field. The answer is the same for an unknown id and for an id of another tenant. */
function unusableReference(reference: UnusableReference, unfit: Unfit): ApiError {
  if (reference.kind === 'unfit-reference') return invalid([unfit(reference)]);
  if (reference.kind === 'erased-reference')
    return erased(reference.what, reference.erasedAt, reference.field);
  const { field, isRetired } = reference;
  if (!isRetired) return notFound(`thing: ${field} names nothing that you may use`);
  const message = `${field} names a catalogue entry that was retired. Nothing was charged: choose another one.`;
  return new ApiError('CATALOG_ENTRY_RETIRED', message);
}

/** The result of a dry run. @throws ApiError if the dispatch would be refused for any reason but its cost */
function estimateOf(workflow: string, answer: DryRunAnswer, unfit: Unfit): DryRunResponse {
  if (answer.kind === 'refused') throw refused(workflow, answer.rejection);
  if (answer.kind !== 'estimated') throw unusableReference(answer, unfit);
  const { creditsCost, balance, sufficient, dailyCapOk } = answer;
  return {
    dry_run: true,
    operation: workflow,
    credits_cost: creditsCost,
    balance,
    sufficient,
    daily_cap_ok: dailyCapOk,
    would_be_accepted: sufficient && dailyCapOk,
  };
}

function notAllowed(workflow: string, code: 'ACCOUNT_INACTIVE' | 'OPERATION_DISABLED'): ApiError {
  const what =
    code === 'ACCOUNT_INACTIVE' ? 'This account is not active' : `${workflow} is disabled at present`;
  return new ApiError(code, `${what}. Nothing was charged: ask your operator.`);
}

function refused(workflow: string, rejection: Refused['rejection']): ApiError {
  switch (rejection.code) {
    case 'INSUFFICIENT_BALANCE': {
      const { balance, cost } = rejection;
      const message = `This costs ${cost} credits and the balance is ${balance}. Nothing was charged: buy credits first.`;
      return new ApiError(rejection.code, message);
    }
    case 'DAILY_SPEND_CAP_EXCEEDED': {
      const { cap, spent, cost, resetsAt } = rejection;
      const then = resetsAt === null ? 'ask your operator to raise the cap' : `try again after ${resetsAt}`;
      const message = `This costs ${cost} credits; ${spent} of today's cap of ${cap} are spent. Nothing was charged: ${then}.`;
      return new ApiError(rejection.code, message);
    }
    case 'ACCOUNT_INACTIVE':
    case 'OPERATION_DISABLED':
      return notAllowed(workflow, rejection.code);
    case 'PRICE_CHANGED': {
      const { cost, expected } = rejection;
      const message = `This costs ${cost} credits, and you agreed to ${expected}. Nothing was charged: agree to the new price first.`;
      return new ApiError(rejection.code, message);
    }
    case 'RELEASE_REQUIRED':
      return new ApiError(rejection.code, rejection.message);
    default:
      return rejection satisfies never;
  }
}

type DispatchResponse = WorkflowAcceptedResponse | JobDetailResponse | DryRunResponse;

interface Incoming {
  readonly caller: Caller;
  /** Each field of it is fine by itself. */
  readonly body: object;
  readonly dryRun: boolean;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

@Injectable()
export class Dispatches {
  constructor(
    private readonly commands: CommandBus,
    private readonly dryRuns: DryRun,
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
    const { asked: model, draws } = this.imageModels.choose(workflow, body, caller);
    const key = parseIdempotencyKey(request.headers['idempotency-key']);
    const testOutcome = parseTestOutcome(request.headers, caller);
    const expectedCredits = parseExpectedCredits(request.headers);
    const asked = {
      caller,
      workflow: name,
      body: { ...withoutUnknownQuality(body, model) },
      imageModel: draws.id,
      remote: isRemote(draws),
      drawnPeopleOnly: knowsDrawnPeopleOnly(draws),
      ...(testOutcome === undefined ? {} : { testOutcome }),
      ...(expectedCredits === undefined ? {} : { expectedCredits }),
      at: this.clock(),
    };
    const unfit: Unfit = (reference) => this.imageModels.unfit(workflow, draws, reference, caller);
    if (dryRun) {
      void reply.status(200);
      return estimateOf(name, await this.dryRuns.estimate(asked), unfit);
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
    const { ids, creditsCost, position, replayed } = acceptedOrRefused(name, answer, unfit);
    const { requestId, jobId } = ids;
    tellWrite(this.consistency, caller, position, reply);
    void reply.header('location', `/v1/jobs/${jobId}`);
    if (replayed) void reply.header('idempotent-replayed', 'true');
    const ended = await this.endOf(jobId, caller, request, reply);
    return (
      ended ?? { request_id: requestId, job_id: jobId, status: 'NOT_STARTED', credits_cost: creditsCost }
    );
  }

  /** The job's detail, if the client wants to wait for its end and the job ends in time. */
  private async endOf(
    jobId: string,
    caller: Caller,
    { headers }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<JobDetailResponse | undefined> {
    const seconds = preferredWait(headers.prefer);
    if (seconds === undefined) return undefined;
    const detail = await this.waits.forEnd(caller, jobId, seconds, reply);
    if (!detail) return undefined;
    void reply.status(200).header('preference-applied', `wait=${seconds}`);
    return this.presenter.detail(detail, caller);
  }
}

const endpointOf = ({ name }: Workflow): string => `/v1/${name}`;

/** The longest possible JSON about ten photographs. */
export const batchBodyLimit = 544 * 1024;

/**
 * The controller of `POST /v1/{name}`. Each workflow has its own class, because Nest keeps routes and
 * descriptions by class.
 */
export function dispatchController(workflow: Workflow): Type {
  @Controller()
  class DispatchController {
    constructor(private readonly dispatches: Dispatches) {}

    @Post(endpointOf(workflow))
    @HttpCode(202)
    @RouteConfig({ workflow: workflow.name, ...(workflow.batch && { jsonBodyLimit: batchBodyLimit }) })
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
