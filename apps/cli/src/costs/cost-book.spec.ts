import { describe, expect, it } from '@jest/globals';
import type { EngineOutcome, JobEvent } from '#domain/job/job.events.js';
import { CostBook } from './cost-book.js';

const at = '2026-11-22T09:00:00.000Z';

function queued(
  tenant: string,
  operation: string,
  creditsCost: number,
  chargeId: string | null = 'c',
): JobEvent {
  const data = { tenant, operation, creditsCost, chargeId, imageModel: 'gpt', at };
  // The book reads no more of it.
  return { type: 'JobQueued', data } as unknown as JobEvent;
}

const called = (model: string): JobEvent => ({
  type: 'EngineCalled',
  data: {
    ...{ call: 's.1', step: 's', model, vendor: 'v', attempt: 1, idempotencyKey: 'k' },
    ...{ tenant: 't', operation: 'o', at },
  },
});

const answered = (price: number, outcome: EngineOutcome = 'answered'): JobEvent => ({
  type: 'EngineAnswered',
  data: { call: 's.1', outcome, vendorRequestId: null, latencyMs: 1, units: 1, price, currency: 'USD', at },
});

const cancelled: JobEvent = { type: 'JobCancelled', data: { reason: 'r', at } };

describe('the book of costs', () => {
  const book = new CostBook();
  const tell = (job: string, ...events: JobEvent[]) => events.forEach((event) => book.add(job, event));
  tell('live/1', queued('T1', 'look', 10), called('gpt'), answered(0.04));
  tell('live/2', queued('T1', 'look', 10), called('gpt'), cancelled, answered(0.04, 'outcome_unknown'));
  tell(
    'live/3',
    queued('T2', 'extract', 1),
    called('gpt'),
    answered(0, 'capacity'),
    called('fal'),
    answered(0.01),
  );
  tell('live/4', queued('T2', 'pdp-batch-extractions', 8, null));

  it('sums credits and prices, and shows jobs that were refunded and still cost money', () => {
    const [first, second] = book.lines('tenant');
    expect(first).toEqual({
      ...{ group: 'T1', jobs: 2, creditsTaken: 20, creditsReturned: 10, calls: 2 },
      ...{ price: 0.08, lostJobs: 1, lostPrice: 0.04 },
    });
    // The parent of a batch is not charged: its photographs are.
    expect(second).toMatchObject({
      group: 'T2',
      jobs: 2,
      creditsTaken: 1,
      calls: 2,
      price: 0.01,
      lostJobs: 0,
    });
  });

  it('goes by the model that was asked in the end', () => {
    expect(book.lines('model').map(({ group, price }) => [group, price])).toEqual([
      ['gpt', 0.08],
      ['fal', 0.01],
    ]);
  });
});
