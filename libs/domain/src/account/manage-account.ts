import type { EventOfType } from '../events.js';
import { accept, reject, type Decision } from '../decision.js';
import type { Account } from './account.js';
import type { AccountEvent, AccountTerms } from './account.events.js';

export type AccountRejection =
  | { readonly code: 'ACCOUNT_ALREADY_OPEN' }
  | { readonly code: 'ACCOUNT_NOT_FOUND' }
  | { readonly code: 'INVALID_AMOUNT'; readonly message: string }
  | { readonly code: 'INSUFFICIENT_BALANCE'; readonly message: string };

/** The largest balance, and thus the largest purchase or charge: read models keep credits in 32 bits. */
export const maxCredits = 2_000_000_000;

export function openAccount(
  command: EventOfType<'AccountOpened'>['data'],
  account: Account,
): Decision<AccountEvent, AccountRejection> {
  if (account.status !== 'unopened') return reject({ code: 'ACCOUNT_ALREADY_OPEN' });
  return accept({ type: 'AccountOpened', data: { ...command } });
}

export function purchaseCredits(
  command: EventOfType<'CreditsPurchased'>['data'],
  account: Account,
): Decision<AccountEvent, AccountRejection> {
  if (account.status === 'unopened') return reject({ code: 'ACCOUNT_NOT_FOUND' });
  if (command.grantId !== undefined && account.adjustments.includes(command.grantId)) return accept();
  if (!isAmount(command.amount)) return reject(noAmount);
  if (account.balance + command.amount > maxCredits) {
    return reject({ code: 'INVALID_AMOUNT', message: `a balance holds at most ${maxCredits} credits` });
  }
  return accept({ type: 'CreditsPurchased', data: { ...command } });
}

const isAmount = (amount: number) => Number.isInteger(amount) && amount >= 1;
const noAmount = {
  code: 'INVALID_AMOUNT',
  message: 'amount must be a whole number of credits, at least 1',
} as const;

/**
 * Takes back credits that were granted by mistake. Only unspent credits can go, so the balance never falls
 * below 0.
 */
export function correctCredits(
  command: EventOfType<'CreditsCorrected'>['data'],
  account: Account,
): Decision<AccountEvent, AccountRejection> {
  if (account.status === 'unopened') return reject({ code: 'ACCOUNT_NOT_FOUND' });
  if (account.adjustments.includes(command.correctionId)) return accept();
  if (!isAmount(command.amount)) return reject(noAmount);
  const { balance } = account;
  if (command.amount > balance) {
    const message = `the balance is ${balance}: at most this amount can be taken back. Nothing was changed`;
    return reject({ code: 'INSUFFICIENT_BALANCE', message });
  }
  return accept({ type: 'CreditsCorrected', data: { ...command } });
}

export function changePlan(
  command: AccountTerms & { readonly at: string },
  account: Account,
): Decision<AccountEvent, AccountRejection> {
  if (account.status === 'unopened') return reject({ code: 'ACCOUNT_NOT_FOUND' });
  return accept({ type: 'PlanChanged', data: { ...command } });
}

export function suspendAccount(
  command: { readonly reason: string; readonly at: string },
  account: Account,
): Decision<AccountEvent, AccountRejection> {
  if (account.status === 'unopened') return reject({ code: 'ACCOUNT_NOT_FOUND' });
  return account.status === 'suspended'
    ? accept()
    : accept({ type: 'AccountSuspended', data: { ...command } });
}

export function reactivateAccount(
  command: { readonly at: string },
  account: Account,
): Decision<AccountEvent, AccountRejection> {
  if (account.status === 'unopened') return reject({ code: 'ACCOUNT_NOT_FOUND' });
  return account.status === 'active'
    ? accept()
    : accept({ type: 'AccountReactivated', data: { ...command } });
}
