import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCalledJobs } from '#projections/testing/called-jobs.js';
import type { ReadSide } from '#projections/testing/read-side.js';
import { at } from '#projections/testing/stories.js';
import { sumCosts, type CostGroup } from '../costs.js';

describe('the calls of vendors', () => {
  let side: ReadSide;

  beforeAll(async () => {
    side = await startCalledJobs();
  });
  afterAll(() => side.dispose());

  const ever = [new Date(0), new Date('9999-12-31')] as const;
  const costs = (by: CostGroup, period: readonly [Date, Date] = ever) =>
    sumCosts(
      { query: async (text, values) => ({ rows: await side.dataSource.query(text, values) }) },
      'live',
      by,
      period,
    );

  it('sum to costs beside the credits, and show jobs that were refunded and still cost money', async () => {
    expect(await costs('tenant')).toEqual([
      {
        group: 'acme',
        jobs: 2,
        creditsTaken: 20,
        creditsReturned: 10,
        calls: 2,
        priceMicros: 80_000,
        lostJobs: 1,
        lostMicros: 40_000,
      },
      {
        // The photographs of a batch are charged, but not its parent.
        group: 'bold',
        jobs: 3,
        creditsTaken: 2,
        creditsReturned: 1,
        calls: 2,
        priceMicros: 0,
        lostJobs: 0,
        lostMicros: 0,
      },
    ]);
  });

  it('go by the model that was asked in the end, and by when the job was queued', async () => {
    const models = (await costs('model')).map(({ group, jobs }) => [group, jobs]);
    expect(models).toEqual([
      ['gpt', 3],
      ['', 1],
      ['fal', 1],
    ]);
    expect(await costs('workflow', [new Date(at(1)), new Date(at(2))])).toEqual([]);
  });
});
