import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { handle, load, type Handled } from '#application/aggregate.js';
import { callerContext, type Caller, type CommandContext } from '#application/command-context.js';
import { hashBody } from '#application/dispatch/idempotency.js';
import type { Decision } from '#domain/decision.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { isId, newId, timeOfId } from '#platform/ids.js';
import type { SpendConsent, SpendEvent } from './spend.events.js';
import {
  agreeToSpend,
  declineSpend,
  evolveSpending,
  initialSpending,
  obstacle,
  offerSpend,
  recordOrder,
  type Offer,
  type Spending,
  type SpendRejection,
} from './spend.js';

const spendingAggregate = { initial: initialSpending, evolve: evolveSpending };

/** The identity of a request that agents send: the caller, and the id of its HTTP request. */
export interface AgentRequest {
  readonly caller: Caller;
  readonly requestId: string;
}

export interface AskedOffer {
  readonly workflow: string;
  readonly body: Record<string, unknown>;
  readonly credits: number;
  readonly session: string | null;
  /** If absent, a person is asked when the offer is ordered. */
  readonly confirmationId?: string | undefined;
}

export type OfferOutcome =
  | { readonly kind: 'done'; readonly offer: Offer }
  | { readonly kind: 'rejected'; readonly rejection: SpendRejection };

export const hashOf = (text: string): string => hash('sha256', text);

/**
 * The offers that agents get with a key. Each change is decided on the stream and appended at its revision, so two
 * processes that take one consent at once make one agreement. The ids of the events derive from the offer:
 * repeating a change writes nothing new.
 */
@Injectable()
export class Offers {
  constructor(
    private readonly store: EventStore,
    @Inject(Configuration) private readonly configuration: Pick<Configuration, 'mcp'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  make(request: AgentRequest, asked: AskedOffer): Promise<OfferOutcome> {
    const { tenant, keyId } = request.caller;
    const { workflow, body, credits, session, confirmationId } = asked;
    const at = this.clock();
    const offerId = newId();
    const offer = {
      offerId,
      tenant,
      keyId,
      workflow,
      body,
      bodyHash: hashBody(body),
      credits,
      session,
      confirmationHash: confirmationId === undefined ? null : hashOf(confirmationId),
      expiresAt: new Date(at.getTime() + this.configuration.mcp.offerMs).toISOString(),
      at: at.toISOString(),
    };
    return this.change(request, offerId, 'offer', (spending) => offerSpend(offer, spending));
  }

  /** The offer, if it can be ordered now. Offers of other keys are not found. */
  async find({ caller }: AgentRequest, offerId: string): Promise<OfferOutcome> {
    if (!isId(offerId)) return { kind: 'rejected', rejection: { code: 'OFFER_NOT_FOUND' } };
    const { state } = await load(this.store, streamOf(caller, offerId), spendingAggregate);
    const offer = state.get(offerId);
    const rejection = obstacle(offer, this.clock().toISOString());
    if (rejection || !offer) return { kind: 'rejected', rejection: rejection ?? { code: 'OFFER_NOT_FOUND' } };
    return { kind: 'done', offer };
  }

  agree(request: AgentRequest, offerId: string, consent: SpendConsent): Promise<OfferOutcome> {
    const { sessionCredits: session, dayCredits: day } = this.configuration.mcp;
    const at = this.clock().toISOString();
    const command = { offerId, consent, caps: { session, day }, at };
    return this.change(request, offerId, 'agree', (spending) => agreeToSpend(command, spending));
  }

  decline(request: AgentRequest, offerId: string): Promise<OfferOutcome> {
    const command = { offerId, at: this.clock().toISOString() };
    return this.change(request, offerId, 'decline', (spending) => declineSpend(command, spending));
  }

  /** Records the job, or the code of the refusal, that the dispatch of an agreed offer led to. */
  record(
    request: AgentRequest,
    offerId: string,
    outcome: { jobId: string } | { code: string },
  ): Promise<OfferOutcome> {
    const command = { ...outcome, offerId, at: this.clock().toISOString() };
    const step = 'jobId' in outcome ? 'ordered' : 'refused';
    return this.change(request, offerId, step, (spending) => recordOrder(command, spending));
  }

  private async change(
    { caller, requestId }: AgentRequest,
    offerId: string,
    step: string,
    decide: (spending: Spending) => Decision<SpendEvent, SpendRejection>,
  ): Promise<OfferOutcome> {
    const context: CommandContext = callerContext(caller, `${step}:${offerId}`, requestId, this.clock());
    const changed: Handled<Spending, SpendRejection> = await handle(
      this.store,
      streamOf(caller, offerId),
      spendingAggregate,
      decide,
      context,
    );
    if (changed.kind === 'rejected') return { kind: 'rejected', rejection: changed.rejection };
    const offer = changed.state.get(offerId);
    if (!offer) throw new Error(`offer ${offerId} was accepted and is not there`);
    return { kind: 'done', offer };
  }
}

/** The stream of the offer's key and day. An offer of another key is on another stream, so it is not found. */
function streamOf({ environment, keyId }: Caller, offerId: string): string {
  const day = new Date(timeOfId(offerId)).toISOString().slice(0, 10);
  return streamName(environment, 'spend', `${keyId}-${day}`);
}
