import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCalledJobs } from '../testing/called-jobs.js';
import type { ReadSide } from '../testing/read-side.js';
import { at } from '../testing/stories.js';
import { CallRow } from './calls.read-model.js';

describe('the calls of vendors', () => {
  let side: ReadSide;

  beforeAll(async () => {
    side = await startCalledJobs();
  });
  afterAll(() => side.dispose());

  it('stand with what they were, how they ended and what they cost', async () => {
    const rows = await side.dataSource.getRepository(CallRow).find({ order: { jobId: 'ASC', call: 'ASC' } });
    expect(rows).toHaveLength(4);
    expect(rows[0]).toEqual({
      jobId: 'J1',
      call: 's.1',
      tenant: 'acme',
      operation: 'look',
      model: 'gpt',
      vendor: 'fal',
      attempt: 1,
      vendorRequestId: 'req-1',
      outcome: 'answered',
      latencyMs: 1_200,
      units: 1,
      priceMicros: 40_000,
      kept: 0,
      currency: 'USD',
      calledAt: new Date(at(3)),
      answeredAt: new Date(at(6)),
    });
    expect(rows[3]).toMatchObject({ jobId: 'J3', model: 'fal', outcome: null, priceMicros: null });
  });
});
