import { describe, expect, it } from 'vitest';
import { given } from '../../../../test/support/given.js';
import {
  evolveAccount,
  forkAccount,
  fromSnapshot,
  initialAccount,
  toSnapshot,
  type OpenedAccount,
} from './account.js';
import {
  debited,
  noon,
  opened,
  purchased,
  refunded,
  settled,
  suspended,
} from '../../../../test/support/account-events.js';
import { refundCharge, settleCharge } from './close-charge.js';

const account = { initial: initialAccount, evolve: evolveAccount };
const charged = [opened(), purchased(100), debited('c1', 10)];
const settle = (state: typeof initialAccount) => settleCharge({ chargeId: 'c1', at: noon }, state);
const refund = (state: typeof initialAccount) =>
  refundCharge({ chargeId: 'c1', reason: 'job-failed', at: noon }, state);

describe('closing a charge', () => {
  it('refunds exactly what was charged', () => {
    given(account, charged).when(refund).then(refunded('c1', 10));
  });

  it('settles an open charge', () => {
    given(account, charged).when(settle).then(settled('c1', 10));
  });

  it('never refunds twice, settles twice, or does both', () => {
    for (const closing of [refunded('c1', 10), settled('c1', 10)]) {
      given(account, [...charged, closing])
        .when(refund)
        .then();
      given(account, [...charged, closing])
        .when(settle)
        .then();
    }
  });

  it('refunds nothing for a charge that was never made', () => {
    given(account, [opened(), purchased(100)])
      .when(refund)
      .then();
    given(account, []).when(refund).then();
  });

  it('still refunds and settles when the account is suspended', () => {
    given(account, [...charged, suspended])
      .when(refund)
      .then(refunded('c1', 10));
  });
});

describe('an account state', () => {
  const state = given(account, charged).state as OpenedAccount;

  it('is the same after a snapshot and back', () => {
    const restored = fromSnapshot(JSON.parse(JSON.stringify(toSnapshot(state))));
    expect(toSnapshot(restored)).toEqual(toSnapshot(state));
    expect(restored.charges.get('c1')).toEqual({ jobId: 'job-of-c1', amount: 10, at: noon });
  });

  it('is not touched by what happens to its fork', () => {
    const before = JSON.stringify(toSnapshot(state));
    const fork = [refunded('c1', 10), debited('c2', 3)].reduce(
      evolveAccount,
      forkAccount(state),
    ) as OpenedAccount;
    expect(fork.charges.entries().map(([chargeId]) => chargeId)).toEqual(['c2']);
    expect(fork.balance).toBe(97);
    expect(JSON.stringify(toSnapshot(state))).toBe(before);
  });
});
