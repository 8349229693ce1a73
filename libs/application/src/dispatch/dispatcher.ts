import { randomInt } from 'node:crypto';
import { debitCredits, type DebitCredits, type DebitRejection } from '#domain/account/debit-credits.js';
import { refundCharge } from '#domain/account/close-charge.js';
import { categoryById } from '#domain/garment/categories.js';
import type { JobInputImage, TestOutcome } from '#domain/job/job.events.js';
import { evolve, initialJob, type QueuedJob } from '#domain/job/job.js';
import { queueJob, voidJob } from '#domain/job/queue-job.js';
import { streamName, type Environment } from '#domain/streams.js';
import { coinName } from '#domain/workflow/coined-name.js';
import { workflowOf, type Workflow } from '#domain/workflow/workflows.js';
import { DuplicateEventId, type EventStore } from '#event-store/event-store.js';
import type { AccountWriter } from '../account/account-writer.js';
import { handle, load, untouched } from '../aggregate.js';
import type { Caller } from '../caller.js';
import type { CommandContext } from '../command-context.js';
import type { DispatchIds } from './idempotency.js';
import type { References, UnknownReference } from './references.js';

/** A validated request for one workflow. */
export interface DispatchRequest {
  readonly caller: Caller;
  /** A name of the workflow table. */
  readonly operation: string;
  readonly endpoint: string;
  /** In the caller's own field names; absent fields are absent. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly at: Date;
  /** The path that the job is to take; with keys of the test environment only. */
  readonly testOutcome?: TestOutcome;
  readonly traceparent?: string;
}

export type DispatchOutcome =
  | {
      readonly kind: 'accepted';
      readonly ids: DispatchIds;
      readonly creditsCost: number;
      /** Where in the log the job begins, for read-your-writes. */
      readonly position: bigint;
    }
  | {
      readonly kind: 'refused';
      readonly requestId: string;
      readonly rejection: DebitRejection | { readonly code: 'OPERATION_DISABLED' };
    }
  | ({ readonly kind: 'unknown-reference' } & UnknownReference);

/** What a workflow costs now, and whether it may be dispatched. */
export interface Prices {
  /** Credits of one dispatch; of each item for a batch. */
  termsOf(
    environment: Environment,
    operation: string,
  ): Promise<{ readonly credits: number; readonly enabled: boolean }>;
}

/** The sweep was faster: it has fenced the job off. The charge, if it was made, has been given back. */
export class DispatchVoided extends Error {
  override readonly name = 'DispatchVoided';
}

/** Seeds fit a signed 32-bit integer, which every engine takes. */
const seedRange = 2 ** 31 - 1;

const aggregate = { initial: initialJob, evolve };

/**
 * Debit, then queue. The debit names the job before the job exists: a crash in between leaves an open charge
 * without a job, which the sweep finds and gives back.
 */
export class Dispatcher {
  constructor(
    private readonly store: EventStore,
    private readonly accounts: AccountWriter,
    private readonly references: References,
    private readonly prices: Prices,
  ) {}

  /**
   * @throws DispatchVoided, EventStoreUnavailable, AppendOutcomeUnknown: after any of them, {@link resume} with
   *   the same ids is safe and charges at most once
   */
  async dispatch(request: DispatchRequest, ids: DispatchIds): Promise<DispatchOutcome> {
    const workflow = workflowOf(request.operation);
    const { credits, enabled } = await this.prices.termsOf(request.caller.environment, workflow.name);
    if (!enabled) {
      return { kind: 'refused', requestId: ids.requestId, rejection: { code: 'OPERATION_DISABLED' } };
    }
    const resolved = await this.references.resolve(workflow, request.body, request.caller);
    if (resolved.kind === 'unknown') return { ...resolved, kind: 'unknown-reference' };

    const debited = await this.#debit(request, ids, workflow, credits);
    if (debited.kind === 'rejected') {
      return { kind: 'refused', requestId: ids.requestId, rejection: debited.rejection };
    }

    return this.#queue(request, ids, queuedJob(request, ids, workflow, credits, resolved.inputs));
  }

  /**
   * Goes on where an earlier try with these ids stopped. Only the first try ever debits: a charge that is not open
   * may never have been made, or have been given back since, and no event store can tell the two apart for sure. So
   * the job is fenced off, which also stops a first try that is merely slow, and the ids are `spent`.
   * @throws what {@link dispatch} throws
   */
  async resume(request: DispatchRequest, ids: DispatchIds): Promise<DispatchOutcome | 'spent'> {
    const progress = await this.#progress(request, ids);
    if (progress === 'voided') return 'spent';
    if (progress !== 'none') return progress;

    const { environment, tenant } = request.caller;
    const { state: account } = await this.accounts.read(environment, tenant);
    const charge = account.status === 'unopened' ? undefined : account.charges.get(ids.requestId);
    if (charge) {
      const workflow = workflowOf(request.operation);
      const resolved = await this.references.resolve(workflow, request.body, request.caller);
      if (resolved.kind === 'unknown') return { ...resolved, kind: 'unknown-reference' };
      // What it cost then is what it costs, whatever the price is now.
      const job = queuedJob(request, ids, workflow, charge.amount, resolved.inputs);
      return this.#queue(request, ids, job);
    }
    const fence = { chargeId: ids.requestId, tenant, at: request.at.toISOString() };
    const fenced = await handle(
      this.store,
      streamName(environment, 'job', ids.jobId),
      aggregate,
      (state) => voidJob(fence, state),
      contextOf(request, ids, `void:${ids.jobId}`),
      untouched(aggregate),
    );
    // The slow first try was faster after all.
    return fenced.kind === 'rejected' ? this.resume(request, ids) : 'spent';
  }

  /** How far an earlier try with these ids came. */
  async #progress(request: DispatchRequest, ids: DispatchIds): Promise<DispatchOutcome | 'voided' | 'none'> {
    const stream = streamName(request.caller.environment, 'job', ids.jobId);
    const { state, position } = await load(this.store, stream, aggregate);
    if (state.status === 'voided') return 'voided';
    if (state.status === 'unqueued' || position === undefined) return 'none';
    return { kind: 'accepted', ids, creditsCost: state.job.creditsCost, position };
  }

  async #debit(request: DispatchRequest, ids: DispatchIds, workflow: Workflow, credits: number) {
    const command: DebitCredits = {
      chargeId: ids.requestId,
      requestId: ids.requestId,
      jobId: ids.jobId,
      operation: workflow.name,
      endpoint: request.endpoint,
      amount: credits,
      at: request.at.toISOString(),
    };
    try {
      return await this.accounts.execute(contextOf(request, ids, `debit:${ids.requestId}`), (account) =>
        debitCredits(command, account),
      );
    } catch (error) {
      // This very debit was made before and is not open any more: the sweep has given it back.
      if (error instanceof DuplicateEventId) throw voidedBySweep(ids);
      throw error;
    }
  }

  async #queue(request: DispatchRequest, ids: DispatchIds, job: QueuedJob): Promise<DispatchOutcome> {
    const stream = streamName(request.caller.environment, 'job', ids.jobId);
    const context = contextOf(request, ids, `queue:${ids.jobId}`);
    const queued = await handle(
      this.store,
      stream,
      aggregate,
      (state) => queueJob(job, state),
      context,
      untouched(aggregate),
    );
    if (queued.kind === 'rejected' && queued.rejection.code === 'JOB_VOIDED') {
      // The sweep refunds as well; whoever comes second finds the charge closed.
      await this.accounts.execute(contextOf(request, ids, `refund:${ids.requestId}`), (account) =>
        refundCharge({ chargeId: ids.requestId, reason: 'orphaned', at: job.at }, account),
      );
      throw voidedBySweep(ids);
    }
    if (queued.kind === 'accepted' && queued.position !== undefined) {
      return { kind: 'accepted', ids, creditsCost: job.creditsCost, position: queued.position };
    }
    const progress = await this.#progress(request, ids);
    if (typeof progress === 'object') return progress;
    throw new Error(`job ${ids.jobId} is neither queued nor voided`);
  }
}

function voidedBySweep({ jobId }: DispatchIds): DispatchVoided {
  return new DispatchVoided(`job ${jobId} was given up before it could be queued`);
}

function contextOf(request: DispatchRequest, ids: DispatchIds, commandId: string): CommandContext {
  const { caller, at, traceparent } = request;
  return {
    environment: caller.environment,
    tenant: caller.tenant,
    commandId,
    requestId: ids.requestId,
    actor: `key:${caller.keyId}`,
    at,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

function queuedJob(
  request: DispatchRequest,
  ids: DispatchIds,
  workflow: Workflow,
  creditsCost: number,
  inputs: JobInputImage[],
): QueuedJob {
  const { body } = request;
  const seed = typeof body['seed'] === 'number' ? body['seed'] : randomInt(seedRange);
  return {
    jobId: ids.jobId,
    tenant: request.caller.tenant,
    requestId: ids.requestId,
    chargeId: ids.requestId,
    operation: workflow.name,
    jobType: workflow.jobType,
    creditsCost,
    displayName: displayNameOf(workflow, body, inputs, seed),
    request: { ...body },
    inputs,
    seed,
    parentJobId: null,
    ...(request.testOutcome === undefined ? {} : { testOutcome: request.testOutcome }),
    at: request.at.toISOString(),
  };
}

function displayNameOf(
  { name }: Workflow,
  body: DispatchRequest['body'],
  inputs: readonly JobInputImage[],
  seed: number,
): string {
  const { display_name: given, garment_category_public_id: categoryId } = body;
  if (typeof given === 'string' && given !== '') return given;
  const category = typeof categoryId === 'string' ? categoryById(categoryId)?.displayLabel : undefined;
  return coinName(name, seed, { body, category, pictures: inputs.map(({ meta }) => meta) });
}
