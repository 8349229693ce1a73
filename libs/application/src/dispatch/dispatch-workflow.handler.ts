import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { newId } from '#platform/ids.js';
import type { DispatchRequest } from './dispatched-jobs.js';
import { Dispatcher, type AcceptedOutcome, type DispatchOutcome } from './dispatcher.js';
import {
  type DispatchIds,
  type IdempotencyBeginning,
  type IdempotencyLease,
  type IdempotentRequest,
  hashKey,
  IdempotencyStore,
} from './idempotency.js';
import { Injectable, Optional } from '@nestjs/common';
import { EventStore, EventStoreUnavailable } from '#event-store/event-store.js';
import type { Caller } from '../command-context.js';
import { ReadYourWrites } from '../consistency/read-your-writes.js';

/**
 * Checks that the read models have the jobs that were on the log when this process began. After a restore the
 * read models are folded anew; until then a key that the database has lost looks new. Later jobs of this
 * process do not matter here: the database has their keys.
 */
@Injectable()
export class FoldedLog {
  private head: Promise<bigint | undefined> | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly consistency: ReadYourWrites,
  ) {}

  /** @throws EventStoreUnavailable when the read models are not that far yet */
  async require(caller: Caller): Promise<void> {
    this.head ??= this.store.head().catch((error: unknown) => {
      this.head = undefined;
      throw error;
    });
    if (await this.consistency.waitFor(caller, 'jobs', await this.head)) return;
    throw new EventStoreUnavailable(
      'The jobs of the log are still being read: one of them may have this Idempotency-Key',
    );
  }
}

/** Dispatch one workflow; with an Idempotency-Key, at most once. */
export class DispatchWorkflow extends Command<DispatchAnswer> {
  constructor(
    readonly request: DispatchRequest,
    /** Id of the HTTP request. It names the charge, unless an earlier request with the key has named it. */
    readonly requestId: string,
    readonly idempotency?: { readonly key: string; readonly bodyHash: string },
  ) {
    super();
  }
}

export type DispatchAnswer =
  | { readonly kind: 'answered'; readonly outcome: DispatchOutcome; readonly replayed: boolean }
  | { readonly kind: 'key-in-use' }
  | { readonly kind: 'key-reused' };

@CommandHandler(DispatchWorkflow)
export class DispatchWorkflowHandler implements ICommandHandler<DispatchWorkflow> {
  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly idempotency: IdempotencyStore,
    @Optional() private readonly foldedLog?: FoldedLog,
  ) {}

  async execute({ request: asked, requestId, idempotency }: DispatchWorkflow): Promise<DispatchAnswer> {
    const ids = { requestId, jobId: newId() };
    if (!idempotency) {
      return { kind: 'answered', outcome: await this.dispatcher.dispatch(asked, ids), replayed: false };
    }
    const { caller, endpoint } = asked;
    const { environment, tenant } = caller;
    const keyed = { environment, tenant, endpoint, ...idempotency };
    const { bodyHash } = idempotency;
    const request = { ...asked, idempotency: { keyHash: hashKey(keyed), bodyHash } };
    await this.foldedLog?.require(caller);
    const begun = await this.begin(request, keyed, ids);
    switch (begun.kind) {
      case 'in-use':
        return { kind: 'key-in-use' };
      case 'reused':
        return { kind: 'key-reused' };
      case 'answered':
        return { kind: 'answered', outcome: fromStored(begun.answer), replayed: true };
      case 'new':
      case 'resume':
        return this.once(request, begun);
      default:
        return begun satisfies never;
    }
  }

  private async begin(
    { caller }: DispatchRequest,
    keyed: IdempotentRequest,
    ids: DispatchIds,
  ): Promise<IdempotencyBeginning> {
    const begun = await this.idempotency.begin(keyed, ids);
    if (begun.kind !== 'answered') return begun;
    const outcome = fromStored(begun.answer);
    if (outcome.kind !== 'accepted' || (await this.dispatcher.isOnLog(caller, outcome.ids))) return begun;
    return this.idempotency.reopen(keyed, outcome.ids);
  }

  private async once(
    request: DispatchRequest,
    begun: Extract<IdempotencyBeginning, { kind: 'new' | 'resume' }>,
  ): Promise<DispatchAnswer> {
    const { kind, ids, lease } = begun;
    try {
      const outcome =
        kind === 'new'
          ? await this.dispatcher.dispatch(request, ids)
          : await this.resume(request, lease, ids);
      if (outcome.kind === 'accepted') await this.idempotency.answer(lease, toStored(outcome));
      // No refusal is final: the caller may buy credits or upload the picture, or the daily cap's window may
      // end.
      else if (outcome.kind === 'refused' || kind === 'new') await this.idempotency.forget(lease);
      // An earlier try may have made the charge, so the next one goes on with it.
      else await this.idempotency.release(lease);
      return { kind: 'answered', outcome, replayed: kind === 'resume' && isRecalled(begun, outcome) };
    } catch (error) {
      // If this fails as well, the lease expires by itself.
      await this.idempotency.release(lease).catch(() => undefined);
      throw error;
    }
  }

  private async resume(
    request: DispatchRequest,
    lease: IdempotencyLease,
    ids: DispatchIds,
  ): Promise<DispatchOutcome> {
    const outcome = await this.dispatcher.resume(request, ids);
    if (outcome !== 'spent') return outcome;
    // Nothing is left of the earlier try, so this is a new dispatch under new ids.
    const fresh = { requestId: newId(), jobId: newId() };
    await this.idempotency.reassign(lease, fresh);
    return this.dispatcher.dispatch(request, fresh);
  }
}

/** Whether this is the answer that the key had before the database lost it. */
function isRecalled(
  { ids, recalled = false }: Extract<IdempotencyBeginning, { kind: 'resume' }>,
  outcome: DispatchOutcome,
): boolean {
  return recalled && outcome.kind === 'accepted' && outcome.ids.jobId === ids.jobId;
}

/** Positions are bigint, which JSON cannot hold. */
function toStored(outcome: AcceptedOutcome): unknown {
  return { ...outcome, position: outcome.position.toString() };
}

function fromStored(stored: unknown): DispatchOutcome {
  // Written by `toStored`, or by an earlier release, which also kept refusals, for 24 hours.
  const outcome = stored as DispatchOutcome;
  return outcome.kind === 'accepted' ? { ...outcome, position: BigInt(outcome.position) } : outcome;
}
