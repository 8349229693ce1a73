import { Injectable } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { PurchaseKind } from '#domain/account/account.events.js';
import type { AccountRejection } from '#domain/account/manage-account.js';
import type { Decision } from '#domain/decision.js';
import {
  approveGrant,
  declineGrant,
  evolveGrant,
  initialGrant,
  proposeGrant,
  type Grant,
  type GrantRejection,
  type ProposedGrant,
} from '#domain/grant/grant.js';
import type { GrantEvent } from '#domain/grant/grant.events.js';
import { streamName, type Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { derivedId, newId, timelessId } from '#platform/ids.js';
import { GrantCredits } from '../account/manage-accounts.handler.js';
import { handle, load } from '../aggregate.js';
import type { CommandContext } from '../command-context.js';

const grantAggregate = { initial: initialGrant, evolve: evolveGrant };

const grantStream = (environment: Environment, id: string) => streamName(environment, 'grant', id);

export type HandledGrant =
  | {
      readonly kind: 'credited';
      readonly grant: ProposedGrant;
      /** False when an earlier delivery of the same payment had granted the credits. */
      readonly changed: boolean;
      readonly position: bigint | undefined;
    }
  | { readonly kind: 'proposed' | 'declined'; readonly grant: ProposedGrant }
  | { readonly kind: 'rejected'; readonly rejection: GrantRejection | AccountRejection };

@Injectable()
abstract class GrantWriter {
  constructor(
    protected readonly store: EventStore,
    private readonly commands: CommandBus,
  ) {}

  protected async decideAndCredit(
    context: CommandContext,
    grantId: string,
    decide: (state: Grant) => Decision<GrantEvent, GrantRejection>,
  ): Promise<HandledGrant> {
    const stream = grantStream(context.environment, grantId);
    const handled = await handle(this.store, stream, grantAggregate, decide, context);
    if (handled.kind === 'rejected') return { kind: 'rejected', rejection: handled.rejection };
    const { state } = handled;
    if (state.status === 'none') throw new Error(`${stream} is empty after a decision`);
    const { grant, status } = state;
    if (status !== 'approved') return { kind: status, grant };
    const { tenant, kind, amount, label, at } = grant;
    const purchase = { kind, amount, label, grantId, purchaseId: derivedId(grantId, Date.parse(at)) };
    // Each delivery has its own id. If two come at once, one credits the account, and the other learns that it is
    // credited.
    const own = { ...context, tenant, commandId: newId() };
    const verdict = await this.commands.execute(new GrantCredits(own, purchase));
    if (verdict.kind === 'rejected') return verdict;
    return { kind: 'credited', grant, changed: verdict.changed, position: verdict.position };
  }
}

export interface GrantProposal {
  readonly kind: PurchaseKind;
  readonly amount: number;
  readonly label: string;
  readonly reference: string | null;
  /** Name of the operator. */
  readonly by: string;
  readonly needsApproval: boolean;
}

/**
 * Grants credits once for each payment, however often the payment is delivered and whatever crashes in between.
 * The payment names the grant's stream: one of two deliveries begins it, and the other finds it. Then the
 * account is credited. The account itself remembers its grants.
 */
export class ProposeGrant extends Command<HandledGrant> {
  constructor(
    readonly context: CommandContext,
    readonly proposal: GrantProposal,
    /**
     * Two requests with the same identity are the same: the reference, or the Idempotency-Key. Undefined: each
     * is new.
     */
    readonly identity: string | undefined,
  ) {
    super();
  }
}

@CommandHandler(ProposeGrant)
export class ProposeGrantHandler extends GrantWriter implements ICommandHandler<ProposeGrant> {
  execute({ context, proposal, identity }: ProposeGrant): Promise<HandledGrant> {
    const { environment, tenant } = context;
    const grantId = identity === undefined ? newId() : timelessId(`grant ${environment} ${identity}`);
    const proposed = { grantId, tenant, ...proposal, at: context.at.toISOString() };
    return this.decideAndCredit(context, grantId, (state) => proposeGrant(proposed, state));
  }
}

/** A second operator's decision on a proposed grant. The tenant is the grant's. */
export class DecideGrant extends Command<HandledGrant> {
  constructor(
    readonly caused: Omit<CommandContext, 'tenant'>,
    readonly grantId: string,
    readonly decision:
      | { readonly kind: 'approve'; readonly by: string }
      | { readonly kind: 'decline'; readonly by: string; readonly reason: string },
  ) {
    super();
  }
}

@CommandHandler(DecideGrant)
export class DecideGrantHandler extends GrantWriter implements ICommandHandler<DecideGrant> {
  async execute({ caused, grantId, decision }: DecideGrant): Promise<HandledGrant> {
    const stream = grantStream(caused.environment, grantId);
    const { state: known } = await load(this.store, stream, grantAggregate);
    if (known.status === 'none') return { kind: 'rejected', rejection: { code: 'GRANT_NOT_FOUND' } };
    const context = { ...caused, tenant: known.grant.tenant };
    const at = context.at.toISOString();
    return this.decideAndCredit(context, grantId, (state) => {
      const { by } = decision;
      return decision.kind === 'approve'
        ? approveGrant({ by, at }, state)
        : declineGrant({ by, reason: decision.reason, at }, state);
    });
  }
}
