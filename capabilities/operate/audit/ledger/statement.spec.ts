import { expect, it } from 'vitest';
import { Story } from '../../../../test/audit/support/story.js';
import { AccountLedger } from './statement.js';

it('tells the plan that an account has now', () => {
  const terms = { dailySpendCapCredits: 0, monthlyCreditQuota: 0, rateLimitPerMin: 60 };
  const told = new Story()
    .account('acme')
    .tell('account', 'acme', 'acme', 'PlanChanged', { plan: 'house', ...terms });
  const ledger = new AccountLedger();
  for (const recorded of told.recorded()) ledger.apply(recorded);
  expect(ledger.plan).toBe('house');
  expect(ledger.balance).toBe(100);
});
