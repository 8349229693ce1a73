import { accept, reject, type Decision } from '../decision.js';
import type { EventOfType } from '../events.js';
import { spendResetsAt, spentToday, type Account } from './account.js';
import type { AccountEvent } from './account.events.js';

export type DebitCredits = Readonly<EventOfType<'CreditsDebited'>['data']>;

export type DebitRejection =
  | { readonly code: 'ACCOUNT_INACTIVE' }
  | { readonly code: 'INSUFFICIENT_BALANCE'; readonly balance: number; readonly cost: number }
  | {
      readonly code: 'DAILY_SPEND_CAP_EXCEEDED';
      readonly cap: number;
      readonly spent: number;
      readonly cost: number;
      /** ISO 8601; null if the cost alone exceeds the cap. */
      readonly resetsAt: string | null;
    };

/**
 * Makes all charges of one request, or none: their sum must fit the balance and the daily cap. Charges of a
 * request are only ever made together. One open charge therefore proves that all were made, and the request is
 * not charged twice.
 */
export function debitCredits(
  charges: readonly DebitCredits[],
  account: Account,
): Decision<AccountEvent, DebitRejection> {
  if (account.status !== 'active') return reject({ code: 'ACCOUNT_INACTIVE' });
  const [first] = charges;
  if (!first || charges.some(({ chargeId }) => account.charges.get(chargeId))) return accept();

  const cost = charges.reduce((sum, { amount }) => sum + amount, 0);
  if (cost > account.balance) {
    return reject({ code: 'INSUFFICIENT_BALANCE', balance: account.balance, cost });
  }
  const cap = account.terms.dailySpendCapCredits;
  const spent = spentToday(account, first.at);
  if (cap > 0 && spent + cost > cap) {
    const resetsAt = cost > cap ? null : spendResetsAt(account, first.at);
    return reject({ code: 'DAILY_SPEND_CAP_EXCEEDED', cap, spent, cost, resetsAt });
  }

  return accept(...charges.map((data): AccountEvent => ({ type: 'CreditsDebited', data: { ...data } })));
}
