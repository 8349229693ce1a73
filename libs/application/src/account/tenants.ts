import type { AccountTerms, PurchaseKind } from '#domain/account/account.events.js';
import {
  changePlan,
  openAccount,
  purchaseCredits,
  reactivateAccount,
  suspendAccount,
} from '#domain/account/manage-account.js';
import { newId } from '#platform/ids.js';
import type { CommandContext } from '../command-context.js';
import type { AccountWriter } from './account-writer.js';

/** What a tenant gets unless the operator says otherwise. */
export const defaultTerms: AccountTerms = {
  plan: 'standard',
  dailySpendCapCredits: 0,
  monthlyCreditQuota: 0,
  rateLimitPerMin: 600,
};

/** Opens the account of `context.tenant` in `context.environment`. */
export function openTenantAccount(
  accounts: AccountWriter,
  context: CommandContext,
  account: { readonly name: string; readonly terms: AccountTerms },
) {
  const { name, terms } = account;
  const { tenant } = context;
  return accounts.execute(context, (state) =>
    openAccount({ tenant, name, ...terms, at: context.at.toISOString() }, state),
  );
}

/** Adds credits to an account that is open. */
export function grantCredits(
  accounts: AccountWriter,
  context: CommandContext,
  purchase: { readonly amount: number; readonly kind: PurchaseKind; readonly label: string },
) {
  const purchaseId = newId();
  return accounts.execute(context, (state) =>
    purchaseCredits({ purchaseId, ...purchase, at: context.at.toISOString() }, state),
  );
}

/** Changes what limits an account, from now on. Terms that are not named stay as they are. */
export function changeTenantTerms(
  accounts: AccountWriter,
  context: CommandContext,
  changes: Partial<AccountTerms>,
) {
  return accounts.execute(context, (state) => {
    const terms = state.status === 'unopened' ? defaultTerms : state.terms;
    return changePlan({ ...terms, ...changes, at: context.at.toISOString() }, state);
  });
}

/** Stops all dispatches of a tenant. What it owes and what it is owed still settles and refunds. */
export function suspendTenant(accounts: AccountWriter, context: CommandContext, reason: string) {
  return accounts.execute(context, (state) =>
    suspendAccount({ reason, at: context.at.toISOString() }, state),
  );
}

export function reactivateTenant(accounts: AccountWriter, context: CommandContext) {
  return accounts.execute(context, (state) => reactivateAccount({ at: context.at.toISOString() }, state));
}
