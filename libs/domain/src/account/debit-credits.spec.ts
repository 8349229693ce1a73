import { describe, it } from 'vitest';
import { given } from '../../../../test/support/given.js';
import { evolveAccount, initialAccount } from './account.js';
import {
  debited,
  debitOf,
  noon,
  opened,
  purchased,
  refunded,
  settled,
  suspended,
} from '../../../../test/support/account-events.js';
import { debitCredits } from './debit-credits.js';

const account = { initial: initialAccount, evolve: evolveAccount };
const debit = (chargeId: string, amount: number, at = noon) => {
  const command = debitOf(chargeId, amount, at);
  return (state: typeof initialAccount) => debitCredits([command], state);
};

describe('debitCredits', () => {
  it('debits down to a balance of exactly zero', () => {
    given(account, [opened(), purchased(10)])
      .when(debit('c1', 10))
      .then(debited('c1', 10));
  });

  it('refuses a debit beyond the balance and tells balance and cost', () => {
    given(account, [opened(), purchased(10), debited('c1', 5)])
      .when(debit('c2', 6))
      .thenRejected({ code: 'INSUFFICIENT_BALANCE', balance: 5, cost: 6 });
  });

  it('does not debit an open charge a second time', () => {
    given(account, [opened(), purchased(10), debited('c1', 10)])
      .when(debit('c1', 10))
      .then();
  });

  it('lets refunded credits be spent again', () => {
    given(account, [opened(), purchased(10), debited('c1', 10), refunded('c1', 10)])
      .when(debit('c2', 10))
      .then(debited('c2', 10));
  });

  it('keeps settled credits spent', () => {
    given(account, [opened(), purchased(10), debited('c1', 10), settled('c1', 10)])
      .when(debit('c2', 1))
      .thenRejected({ code: 'INSUFFICIENT_BALANCE', balance: 0, cost: 1 });
  });

  it('refuses an account that was never opened, and one that is suspended', () => {
    given(account, []).when(debit('c1', 1)).thenRejected({ code: 'ACCOUNT_INACTIVE' });
    given(account, [opened(), purchased(10), suspended])
      .when(debit('c1', 1))
      .thenRejected({ code: 'ACCOUNT_INACTIVE' });
  });
});

describe('the daily cap', () => {
  const resetsAt = '2026-06-02T12:00:00.001Z';
  const spent15of20 = [opened(20), purchased(100), debited('c1', 10), debited('c2', 5)];

  it('allows spending up to the cap itself and refuses one credit more', () => {
    given(account, spent15of20).when(debit('c3', 5)).then(debited('c3', 5));
    given(account, spent15of20)
      .when(debit('c3', 6))
      .thenRejected({ code: 'DAILY_SPEND_CAP_EXCEEDED', cap: 20, spent: 15, cost: 6, resetsAt });
  });

  it('makes room again for what was refunded of the same window', () => {
    given(account, [...spent15of20, refunded('c1', 10)])
      .when(debit('c3', 15))
      .then(debited('c3', 15));
  });

  it('begins anew when more than 24 hours have passed, not sooner', () => {
    const dayLater = '2026-06-02T12:00:00.000Z';
    const justAfter = '2026-06-02T12:00:00.001Z';
    given(account, spent15of20)
      .when(debit('c3', 20, dayLater))
      .thenRejected({ code: 'DAILY_SPEND_CAP_EXCEEDED', cap: 20, spent: 15, cost: 20, resetsAt });
    given(account, spent15of20)
      .when(debit('c3', 20, justAfter))
      .then(debited('c3', 20, justAfter));
  });

  it('counts the 24 hours from the first debit, not from those that follow', () => {
    const evening = '2026-06-01T23:00:00.000Z';
    const justAfter = '2026-06-02T12:00:00.001Z';
    given(account, [opened(20), purchased(100), debited('c1', 10), debited('c2', 5, evening)])
      .when(debit('c3', 20, justAfter))
      .then(debited('c3', 20, justAfter));
  });

  it('does not count a refund of an earlier window against today', () => {
    const nextDay = '2026-06-02T13:00:00.000Z';
    const nextReset = '2026-06-03T13:00:00.001Z';
    given(account, [...spent15of20, debited('c3', 20, nextDay), refunded('c1', 10)])
      .when(debit('c4', 1, nextDay))
      .thenRejected({ code: 'DAILY_SPEND_CAP_EXCEEDED', cap: 20, spent: 20, cost: 1, resetsAt: nextReset });
  });
});

describe('debitCredits for several jobs', () => {
  const three = (amount: number) => (state: typeof initialAccount) =>
    debitCredits(
      ['r.0', 'r.1', 'r.2'].map((chargeId) => debitOf(chargeId, amount)),
      state,
    );

  it('makes every charge, down to a balance of exactly zero', () => {
    given(account, [opened(), purchased(12)])
      .when(three(4))
      .then(debited('r.0', 4), debited('r.1', 4), debited('r.2', 4));
  });

  it('makes none when only their sum is beyond the balance', () => {
    given(account, [opened(), purchased(11)])
      .when(three(4))
      .thenRejected({ code: 'INSUFFICIENT_BALANCE', balance: 11, cost: 12 });
  });

  it('makes none when only their sum is beyond the daily cap', () => {
    given(account, [opened(11), purchased(100)])
      .when(three(4))
      .thenRejected({ code: 'DAILY_SPEND_CAP_EXCEEDED', cap: 11, spent: 0, cost: 12, resetsAt: null });
  });

  it('makes none a second time, also when some of them are closed by now', () => {
    const made = [opened(), purchased(24), debited('r.0', 4), debited('r.1', 4), debited('r.2', 4)];
    given(account, made).when(three(4)).then();
    given(account, [...made, refunded('r.0', 4), settled('r.2', 4)])
      .when(three(4))
      .then();
  });
});
