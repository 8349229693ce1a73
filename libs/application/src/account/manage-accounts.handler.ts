import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { AccountTerms, PurchaseKind } from '#domain/account/account.events.js';
import {
  changePlan,
  correctCredits,
  openAccount,
  purchaseCredits,
  reactivateAccount,
  suspendAccount,
  type AccountRejection,
} from '#domain/account/manage-account.js';
import { newId } from '#platform/ids.js';
import type { CommandContext } from '../command-context.js';
import { type AccountVerdict, AccountWriter } from './account-writer.js';

type Verdict = AccountVerdict<AccountRejection>;

/** The terms of a new tenant unless the operator sets others. */
export const defaultTerms: AccountTerms = {
  plan: 'standard',
  dailySpendCapCredits: 0,
  monthlyCreditQuota: 0,
  rateLimitPerMin: 600,
};

/** Opens the account of `context.tenant` in `context.environment`. */
export class OpenAccount extends Command<Verdict> {
  constructor(
    readonly context: CommandContext,
    readonly account: { readonly name: string; readonly terms: AccountTerms },
  ) {
    super();
  }
}

@CommandHandler(OpenAccount)
export class OpenAccountHandler implements ICommandHandler<OpenAccount> {
  constructor(private readonly accounts: AccountWriter) {}

  execute({ context, account: { name, terms } }: OpenAccount): Promise<Verdict> {
    const opening = { tenant: context.tenant, name, ...terms, at: context.at.toISOString() };
    return this.accounts.execute(context, (state) => openAccount(opening, state));
  }
}

export interface Purchase {
  readonly amount: number;
  readonly kind: PurchaseKind;
  /** The text of the ledger entry. */
  readonly label: string;
  /** Set if the purchase fulfils a grant: the grant's id. The purchase's id then derives from it. */
  readonly grantId?: string;
  readonly purchaseId?: string;
}

/** Adds credits to an account that is open. */
export class GrantCredits extends Command<Verdict> {
  constructor(
    readonly context: CommandContext,
    readonly purchase: Purchase,
  ) {
    super();
  }
}

@CommandHandler(GrantCredits)
export class GrantCreditsHandler implements ICommandHandler<GrantCredits> {
  constructor(private readonly accounts: AccountWriter) {}

  execute({ context, purchase }: GrantCredits): Promise<Verdict> {
    const bought = { purchaseId: newId(), ...purchase, at: context.at.toISOString() };
    return this.accounts.execute(context, (state) => purchaseCredits(bought, state));
  }
}

/** Takes credits back and records the reason. */
export class CorrectCredits extends Command<Verdict> {
  constructor(
    readonly context: CommandContext,
    readonly correction: { readonly amount: number; readonly reason: string },
    /** Equal for each delivery of the same request. */
    readonly correctionId: string,
  ) {
    super();
  }
}

@CommandHandler(CorrectCredits)
export class CorrectCreditsHandler implements ICommandHandler<CorrectCredits> {
  constructor(private readonly accounts: AccountWriter) {}

  execute({ context, correction, correctionId }: CorrectCredits): Promise<Verdict> {
    const correcting = { correctionId, ...correction, at: context.at.toISOString() };
    return this.accounts.execute(context, (state) => correctCredits(correcting, state));
  }
}

/** Changes an account's limits from now on. Terms that are not named stay the same. */
export class ChangePlan extends Command<Verdict> {
  constructor(
    readonly context: CommandContext,
    readonly changes: Partial<AccountTerms>,
  ) {
    super();
  }
}

@CommandHandler(ChangePlan)
export class ChangePlanHandler implements ICommandHandler<ChangePlan> {
  constructor(private readonly accounts: AccountWriter) {}

  execute({ context, changes }: ChangePlan): Promise<Verdict> {
    return this.accounts.execute(context, (state) => {
      const terms = state.status === 'unopened' ? defaultTerms : state.terms;
      return changePlan({ ...terms, ...changes, at: context.at.toISOString() }, state);
    });
  }
}

/** Stops all dispatches of a tenant. Charges that are open still settle or get refunded. */
export class SuspendAccount extends Command<Verdict> {
  constructor(
    readonly context: CommandContext,
    readonly reason: string,
  ) {
    super();
  }
}

@CommandHandler(SuspendAccount)
export class SuspendAccountHandler implements ICommandHandler<SuspendAccount> {
  constructor(private readonly accounts: AccountWriter) {}

  execute({ context, reason }: SuspendAccount): Promise<Verdict> {
    const suspension = { reason, at: context.at.toISOString() };
    return this.accounts.execute(context, (state) => suspendAccount(suspension, state));
  }
}

export class ReactivateAccount extends Command<Verdict> {
  constructor(readonly context: CommandContext) {
    super();
  }
}

@CommandHandler(ReactivateAccount)
export class ReactivateAccountHandler implements ICommandHandler<ReactivateAccount> {
  constructor(private readonly accounts: AccountWriter) {}

  execute({ context }: ReactivateAccount): Promise<Verdict> {
    const at = context.at.toISOString();
    return this.accounts.execute(context, (state) => reactivateAccount({ at }, state));
  }
}

export const accountHandlers = [
  OpenAccountHandler,
  GrantCreditsHandler,
  CorrectCreditsHandler,
  ChangePlanHandler,
  SuspendAccountHandler,
  ReactivateAccountHandler,
];
