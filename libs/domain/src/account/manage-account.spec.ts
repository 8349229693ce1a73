import { describe, it } from 'vitest';
import { given } from '../../../../test/support/given.js';
import { evolveAccount, initialAccount, type Account } from './account.js';
import { noon, opened, purchased, suspended } from '../../../../test/support/account-events.js';
import {
  changePlan,
  maxCredits,
  openAccount,
  purchaseCredits,
  reactivateAccount,
  suspendAccount,
} from './manage-account.js';

const account = { initial: initialAccount, evolve: evolveAccount };
const terms = { plan: 'studio', dailySpendCapCredits: 5, monthlyCreditQuota: 0, rateLimitPerMin: 60 };
const purchase = (amount: number) => (state: Account) =>
  purchaseCredits({ purchaseId: 'p1', kind: 'pack', amount, label: 'Starter', at: noon }, state);

describe('managing an account', () => {
  it('opens an account once', () => {
    const open = { tenant: 'acme', name: 'Acme', ...terms, at: noon };
    given(account, []).when(openAccount, open).then({ type: 'AccountOpened', data: open });
    given(account, [opened()]).when(openAccount, open).thenRejected({ code: 'ACCOUNT_ALREADY_OPEN' });
  });

  it('takes whole, positive purchases only', () => {
    given(account, [opened()]).when(purchase(1)).then(purchased(1));
    const message = 'amount must be a whole number of credits, at least 1';
    for (const amount of [0, -5, 1.5, Number.NaN]) {
      given(account, [opened()]).when(purchase(amount)).thenRejected({ code: 'INVALID_AMOUNT', message });
    }
  });

  it('keeps balances within exact integers', () => {
    given(account, [opened(), purchased(maxCredits)])
      .when(purchase(1))
      .thenRejected({ code: 'INVALID_AMOUNT', message: `a balance holds at most ${maxCredits} credits` });
  });

  it('sells nothing to an account that does not exist', () => {
    given(account, []).when(purchase(1)).thenRejected({ code: 'ACCOUNT_NOT_FOUND' });
  });

  it('suspends and reactivates, each without effect the second time', () => {
    given(account, [opened()]).when(suspendAccount, { reason: 'unpaid', at: noon }).then(suspended);
    given(account, [opened(), suspended]).when(suspendAccount, { reason: 'again', at: noon }).then();
    given(account, [opened(), suspended])
      .when(reactivateAccount, { at: noon })
      .then({ type: 'AccountReactivated', data: { at: noon } });
    given(account, [opened()]).when(reactivateAccount, { at: noon }).then();
  });

  it('changes the plan of an open account', () => {
    given(account, [opened()])
      .when(changePlan, { ...terms, at: noon })
      .then({ type: 'PlanChanged', data: { ...terms, at: noon } });
  });
});
