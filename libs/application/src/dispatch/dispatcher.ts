import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { LRUCache } from 'lru-cache';
import type { DebitRejection } from '#domain/account/debit-credits.js';
import type { JobEvent } from '#domain/job/job.events.js';
import { initialJob, isUnfinished, type QueuedJob, queueJob } from '#domain/job/job.js';
import { streamName } from '#domain/streams.js';
import { entriesUpTo } from '#platform/cache-size.js';
import type { Workflow } from '#workflows/define-workflow.js';
import { workflowOf } from '#workflows/workflows.js';
import { DuplicateEventId, EventStore, EventTooLarge, type StreamWrite } from '#event-store/event-store.js';
import { type AccountVerdict, AccountWriter, MovedBeside } from '../account/account-writer.js';
import { CloseCharge, MakeCharges } from '../account/charges.handler.js';
import { load, untouched } from '../aggregate.js';
import { callerContext, type Caller, toNewEvent, type CommandContext } from '../command-context.js';
import { FenceJob, jobAggregate, QueueJob } from '../job/job-writes.handler.js';
import {
  childrenOf,
  jobsToCharge,
  type JobToCharge,
  type DispatchRequest,
  queuedJob,
} from './dispatched-jobs.js';
import type { DispatchIds } from './idempotency.js';
import type { CheckRefusal } from './dispatch-check.js';
import { References, type UnusableReference } from './references.js';
import { Operations, type Prices } from '../operation/operations.js';

export interface AcceptedOutcome {
  readonly kind: 'accepted';
  readonly ids: DispatchIds;
  readonly creditsCost: number;
  /** Position at which the job begins, or the last job of its batch; for read-your-writes. */
  readonly position: bigint;
}

export type DispatchOutcome =
  | AcceptedOutcome
  | {
      readonly kind: 'refused';
      readonly requestId: string;
      readonly rejection:
        DebitRejection | { readonly code: 'OPERATION_DISABLED' } | PriceChanged | CheckRefusal;
    }
  | UnusableReference;

/** The dispatch would cost something else than the caller agreed to. Both in credits. */
export interface PriceChanged {
  readonly code: 'PRICE_CHANGED';
  readonly cost: number;
  readonly expected: number;
}

/** The sweep was faster and has fenced the job off. The charge, if there was one, has been refunded. */
export class DispatchVoided extends Error {
  override readonly name = 'DispatchVoided';
}

/** A request under the ids that it has from now on. */
interface Try {
  readonly request: DispatchRequest;
  readonly ids: DispatchIds;
  readonly workflow: Workflow;
}

interface JobOnLog {
  readonly job: QueuedJob;
  readonly position: bigint;
  readonly unfinished: boolean;
}

/**
 * A dispatch takes one of two paths. If the store can append to several streams, debit and job go into one
 * append. The charge then never stands alone. The price may come from memory, because the append fails once the
 * price has changed.
 *
 * Batches, and all dispatches that the first path leaves undecided, use the two-step path: read the log, debit,
 * then queue. The debit names the job before the job exists. A crash in between leaves an open charge without a
 * job, which the sweep finds and refunds. A batch makes one charge for each item, all in one append. Its parent
 * is queued first, so a writer that fences the parent off knows that no child will come.
 */
@Injectable()
export class Dispatcher {
  private readonly onLog = new LRUCache<string, true>({
    ...entriesUpTo(10_000),
    fetchMethod: async (stream) => {
      const slice = await this.store.readStream(stream, { limit: 1 });
      return slice.kind === 'found' && slice.events[0]?.type !== ('JobVoided' satisfies JobEvent['type'])
        ? true
        : undefined;
    },
  });

  constructor(
    private readonly commands: CommandBus,
    private readonly store: EventStore,
    private readonly accounts: AccountWriter,
    private readonly references: References,
    @Inject(Operations) private readonly prices: Prices,
  ) {}

  /**
   * @throws DispatchVoided, EventStoreUnavailable, AppendOutcomeUnknown: after any of them, {@link resume} with
   *   the same ids is safe and charges at most once
   */
  async dispatch(request: DispatchRequest, ids: DispatchIds): Promise<DispatchOutcome> {
    const workflow = workflowOf(request.workflow);
    const tried = { request, ids, workflow };
    if (this.store.appendTogether && !workflow.batch) {
      const outcome = await this.dispatchTogether(tried);
      if (outcome) return outcome;
    }
    const { credits, enabled } = await this.prices.termsOf(request.caller.environment, workflow.name);
    if (!enabled) {
      return { kind: 'refused', requestId: ids.requestId, rejection: { code: 'OPERATION_DISABLED' } };
    }
    const resolved = await this.references.resolve(workflow, request);
    if (resolved.kind !== 'found') return resolved;
    if (resolved.refusal) {
      return { kind: 'refused', requestId: ids.requestId, rejection: resolved.refusal };
    }

    const charges = jobsToCharge(workflow, request.body, ids);
    const cost = credits * charges.length;
    const { expectedCredits: expected = cost } = request;
    if (cost !== expected) {
      const rejection = { code: 'PRICE_CHANGED', cost, expected } as const;
      return { kind: 'refused', requestId: ids.requestId, rejection };
    }
    const debited = await this.debit(tried, charges, credits);
    if (debited.kind === 'rejected') {
      return { kind: 'refused', requestId: ids.requestId, rejection: debited.rejection };
    }

    const paid = charges.map((charge) => ({ ...charge, amount: credits }));
    return this.queue(tried, charges, queuedJob(request, ids, workflow, paid, resolved.material));
  }

  /**
   * Appends the charge, the job and a guard on the price together. Undefined: nothing was written, and the
   * caller must decide again on what the log says now.
   */
  private async dispatchTogether(tried: Try): Promise<DispatchOutcome | undefined> {
    const { request, ids, workflow } = tried;
    const { environment } = request.caller;
    const { credits, enabled, guard } = await this.prices.rememberedTermsOf(environment, workflow.name);
    // The other path reads the price and then refuses. Here the guard keeps the price as it was compared.
    if (!enabled || credits !== (request.expectedCredits ?? credits)) return undefined;
    const resolved = await this.references.resolve(workflow, request);
    if (resolved.kind !== 'found') return resolved;
    if (resolved.refusal) {
      return { kind: 'refused', requestId: ids.requestId, rejection: resolved.refusal };
    }

    const charges = jobsToCharge(workflow, request.body, ids);
    const paid = charges.map((charge) => ({ ...charge, amount: credits }));
    const job = queuedJob(request, ids, workflow, paid, resolved.material);
    const queued = queueJob(job, initialJob);
    if (queued.kind === 'rejected') return undefined;
    const context = contextOf(tried, `queue:${ids.jobId}`);
    const write: StreamWrite = {
      stream: streamName(environment, 'job', ids.jobId),
      expectedRevision: 'no-stream',
      events: queued.events.map((event, index) => toNewEvent(event, index, context)),
    };
    try {
      const debited = await this.debit(tried, charges, credits, [write, guard]);
      // If the charge existed before, this append wrote nothing, so its job may be missing.
      if (debited.kind === 'rejected' || !debited.changed || debited.position === undefined) return undefined;
      return { kind: 'accepted', ids, creditsCost: credits, position: debited.position };
    } catch (error) {
      if (error instanceof MovedBeside) return undefined;
      throw error;
    }
  }

  /**
   * Continues an earlier try with these ids. Only the first try ever debits: a charge that is not open may
   * never have been made, or may have been refunded since, and no event store can distinguish the two for sure.
   * Therefore the job is fenced off, which also stops a first try that is merely slow, and the ids are `spent`.
   * @throws the errors of {@link dispatch}
   */
  async resume(request: DispatchRequest, ids: DispatchIds): Promise<DispatchOutcome | 'spent'> {
    const workflow = workflowOf(request.workflow);
    const tried = { request, ids, workflow };
    const found = await this.find(request, ids.jobId);
    if (found === 'voided') return 'spent';
    if (found) return this.accepted(tried, found);

    const { environment, tenant } = request.caller;
    const charges = jobsToCharge(workflow, request.body, ids);
    const { state: account } = await this.accounts.read(environment, tenant);
    const open = charges.flatMap((charge) => {
      const made = account.status === 'unopened' ? undefined : account.charges.get(charge.chargeId);
      // The charge keeps its job and its amount, even if the price has changed since.
      return made ? [{ ...charge, jobId: made.jobId, amount: made.amount }] : [];
    });
    if (open.length === charges.length) {
      // The dispatch was accepted and paid. The engine decides whether it can draw the job, and a capability that
      // does not allow it any more stops it as it stops others.
      const { body, caller, at } = request;
      const resolved = await this.references.resolve(workflow, { body, caller, at });
      if (resolved.kind !== 'found') return resolved;
      return this.queue(tried, open, queuedJob(request, ids, workflow, open, resolved.material));
    }
    const fence = new FenceJob(
      contextOf(tried, `void:${ids.jobId}`),
      ids.jobId,
      { chargeId: ids.requestId },
      untouched(jobAggregate),
    );
    const fenced = await this.commands.execute(fence);
    // The slow first try was faster after all.
    if (fenced.kind === 'rejected') return this.resume(request, ids);
    // The sweep had begun to refund a batch. The fence makes it safe to refund the rest.
    await this.refund(tried, charges);
    return 'spent';
  }

  /**
   * Whether the log has the job. A restore may have lost it, and the sweep may have fenced it off since.
   * Neither happens while this process lives, so a job that was found is not read again.
   */
  async isOnLog({ environment }: Caller, { jobId }: DispatchIds): Promise<boolean> {
    return (await this.onLog.fetch(streamName(environment, 'job', jobId))) ?? false;
  }

  /** The job as stored; undefined when it is neither queued nor fenced. */
  private async find(request: DispatchRequest, jobId: string): Promise<JobOnLog | 'voided' | undefined> {
    const stream = streamName(request.caller.environment, 'job', jobId);
    const { state, position } = await load(this.store, stream, jobAggregate);
    if (state.status === 'voided') return 'voided';
    if (state.status === 'unqueued' || position === undefined) return undefined;
    return { job: state.job, position, unfinished: isUnfinished(state) };
  }

  private async debit(
    tried: Try,
    charges: readonly JobToCharge[],
    credits: number,
    beside: readonly StreamWrite[] = [],
  ): Promise<AccountVerdict<DebitRejection>> {
    const { request, ids } = tried;
    const { workflow: operation, endpoint } = request;
    const { requestId } = ids;
    const at = request.at.toISOString();
    const debits = charges.map((charge) => {
      return { ...charge, requestId, operation, endpoint, amount: credits, at };
    });
    try {
      const context = contextOf(tried, `debit:${requestId}`);
      return await this.commands.execute(new MakeCharges(context, debits, beside));
    } catch (error) {
      // This debit was made before and is no longer open: the sweep has refunded it.
      if (error instanceof DuplicateEventId) throw voidedBySweep(ids);
      throw error;
    }
  }

  private async queue(tried: Try, charges: readonly JobToCharge[], job: QueuedJob): Promise<DispatchOutcome> {
    const queued = await this.queueOne(tried, job).catch(async (error: unknown) => {
      // This job can never be on the log, so the refund need not wait for the sweep.
      if (error instanceof EventTooLarge) await this.refund(tried, charges);
      throw error;
    });
    if (queued === 'voided') {
      await this.refund(tried, charges);
      throw voidedBySweep(tried.ids);
    }
    return this.accepted(tried, queued);
  }

  private async queueOne(tried: Try, job: QueuedJob): Promise<JobOnLog | 'voided'> {
    const { jobId } = job;
    const context = contextOf(tried, `queue:${jobId}`);
    const queued = await this.commands.execute(new QueueJob(context, jobId, job, untouched(jobAggregate)));
    const isParent = job.childJobIds !== undefined;
    if (queued.kind === 'accepted' && queued.position !== undefined && !isParent) {
      return { job, position: queued.position, unfinished: true };
    }
    // The stored job counts: a parallel try may have queued it, with another seed for the children.
    const found = await this.find(tried.request, jobId);
    if (!found) throw new Error(`job ${jobId} is neither queued nor voided`);
    return found;
  }

  /**
   * Completes a queued job: queues the jobs of its items as well. Items that the sweep has refunded stay out,
   * and the parent counts them as failed. A parent that has ended gets no more children.
   */
  private async accepted(tried: Try, found: JobOnLog): Promise<DispatchOutcome> {
    const { job, unfinished } = found;
    const children = unfinished ? childrenOf(job) : [];
    const queued = await Promise.all(children.map((child) => this.queueOne(tried, child)));
    const position = queued.reduce(
      (last, child) => (child !== 'voided' && child.position > last ? child.position : last),
      found.position,
    );
    return { kind: 'accepted', ids: tried.ids, creditsCost: job.creditsCost, position };
  }

  /** The sweep may refund as well; the second refund finds the charge closed. */
  private async refund(tried: Try, charges: readonly JobToCharge[]): Promise<void> {
    const { tenant } = tried.request.caller;
    await Promise.all(
      charges.map(({ chargeId }) => {
        const end = { kind: 'refund', reason: 'orphaned', chargeId, tenant } as const;
        return this.commands.execute(new CloseCharge(end, contextOf(tried, chargeId)));
      }),
    );
  }
}

function voidedBySweep({ jobId }: DispatchIds): DispatchVoided {
  return new DispatchVoided(`job ${jobId} was given up before it could be queued`);
}

function contextOf({ request, ids }: Try, commandId: string): CommandContext {
  const { caller, at, traceparent } = request;
  const context = callerContext(caller, commandId, ids.requestId, at);
  return traceparent === undefined ? context : { ...context, traceparent };
}
