import type { Account } from '#domain/account/account.js';
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
import { AccountCommand } from './account-command.handler.js';

/** The terms of a new tenant unless the operator sets others. */
export const defaultTerms: AccountTerms = {
  plan: 'standard',
  dailySpendCapCredits: 0,
  monthlyCreditQuota: 0,
  rateLimitPerMin: 600,
};

export class OpenAccount extends AccountCommand<
  { readonly name: string; readonly terms: AccountTerms },
  AccountRejection
> {
  decide(account: Account, at: string) {
    const { name, terms } = this.data;
    return openAccount({ tenant: this.context.tenant, name, ...terms, at }, account);
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

export class GrantCredits extends AccountCommand<Purchase, AccountRejection> {
  private readonly purchaseId = newId();

  decide(account: Account, at: string) {
    return purchaseCredits({ purchaseId: this.purchaseId, ...this.data, at }, account);
  }
}

/** Takes credits back and records the reason. `correctionId` is equal for each delivery of the same request. */
export class CorrectCredits extends AccountCommand<
  { readonly amount: number; readonly reason: string; readonly correctionId: string },
  AccountRejection
> {
  decide(account: Account, at: string) {
    const { correctionId, amount, reason } = this.data;
    return correctCredits({ correctionId, amount, reason, at }, account);
  }
}

/** Changes an account's limits from now on. Terms that are not named stay the same. */
export class ChangePlan extends AccountCommand<Partial<AccountTerms>, AccountRejection> {
  decide(account: Account, at: string) {
    const terms = account.status === 'unopened' ? defaultTerms : account.terms;
    return changePlan({ ...terms, ...this.data, at }, account);
  }
}

/** Stops all dispatches of a tenant. Charges that are open still settle or get refunded. */
export class SuspendAccount extends AccountCommand<{ readonly reason: string }, AccountRejection> {
  decide(account: Account, at: string) {
    return suspendAccount({ ...this.data, at }, account);
  }
}

export class ReactivateAccount extends AccountCommand<undefined, AccountRejection> {
  constructor(context: CommandContext) {
    super(context, undefined);
  }

  decide(account: Account, at: string) {
    return reactivateAccount({ at }, account);
  }
}
