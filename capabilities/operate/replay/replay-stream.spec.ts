import { describe, expect, it } from 'vitest';
import type { AccountEvent } from '#domain/account/account.events.js';
import { streamCategories } from '#domain/streams.js';
import { foldOf } from './replay-stream.js';

const at = '2026-01-31T12:00:00.000Z';
const terms = { plan: 'standard', dailySpendCapCredits: 0, monthlyCreditQuota: 0, rateLimitPerMin: 60 };
const charge = {
  chargeId: 'c1',
  requestId: 'r1',
  jobId: 'j1',
  operation: 'look',
  endpoint: '/v1/look',
  amount: 4,
  at,
};
const history: AccountEvent[] = [
  { type: 'AccountOpened', data: { tenant: 't1', name: 'Maison', ...terms, at } },
  { type: 'CreditsPurchased', data: { purchaseId: 'p1', kind: 'pack', amount: 10, label: '', at } },
  { type: 'CreditsDebited', data: charge },
  { type: 'CreditsRefunded', data: { chargeId: 'c1', jobId: 'j1', amount: 4, reason: 'job-failed', at } },
];

describe('what a stream folds into', () => {
  it('is told after each event, although the account edits its charges in place', async () => {
    const fold = await foldOf('account');
    const summaries = history.map((event) => {
      fold?.apply(event);
      return fold?.summary();
    });
    expect(summaries.map((summary) => [summary?.['balance'], summary?.['open_credits']])).toEqual([
      [0, 0],
      [10, 0],
      [6, 4],
      [10, 0],
    ]);
  });

  it('names the open charges in detail', async () => {
    const fold = await foldOf('account');
    for (const event of history.slice(0, 3)) fold?.apply(event);
    const open = [{ charge_id: 'c1', job_id: 'j1', amount: 4, at }];
    expect(fold?.detail()).toMatchObject({ balance: 6, open_charges: open });
  });

  it('is nothing for a list of facts', async () => {
    expect(await foldOf('usage')).toBeUndefined();
  });

  it('is known of every kind of stream that an operator can name, but for lists of facts', async () => {
    const folds = await Promise.all(streamCategories.map(foldOf));
    const unknown = streamCategories.filter((_, index) => folds[index] === undefined);
    expect(unknown).toEqual(['usage', 'action', 'notice', 'delivery']);
  });
});
