import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DomainEvent } from '#domain/events.js';
import type { EngineOutcome } from '#domain/job/job.events.js';
import { at, cancelled, failed, queued, renderStarted, succeeded } from '#projections/testing/stories.js';
import { startReadSide, type ReadSide } from '#projections/testing/read-side.js';
import { sumCosts, type CostGroup } from '../costs.js';

const called = (model: string, call = 's.1'): DomainEvent => ({
  type: 'EngineCalled',
  data: {
    call,
    step: 's',
    model,
    vendor: 'fal',
    attempt: 1,
    idempotencyKey: 'k',
    tenant: 'acme',
    operation: 'look',
    at: at(call === 's.1' ? 3 : 5),
  },
});

const submitted: DomainEvent = {
  type: 'EngineSubmitted',
  data: { call: 's.1', vendorRequestId: 'req-1', at: at(4) },
};

const answered = (price: number, outcome: EngineOutcome = 'answered', call = 's.1'): DomainEvent => ({
  type: 'EngineAnswered',
  data: {
    call,
    outcome,
    vendorRequestId: null,
    latencyMs: 1_200,
    units: price > 0 ? 1 : 0,
    price,
    currency: 'USD',
    at: at(6),
  },
});

describe('the calls of vendors', () => {
  let side: ReadSide;

  beforeAll(async () => {
    side = await startReadSide();
    const job = (
      id: string,
      tenant: string,
      operation: string,
      creditsCost: number,
      ...events: DomainEvent[]
    ) =>
      side.fixture.append(
        'job',
        id,
        [queued(id, tenant, { operation, creditsCost, imageModel: 'gpt' }), renderStarted, ...events],
        { tenant },
      );
    await job('J1', 'acme', 'look', 10, called('gpt'), submitted, answered(0.04), succeeded);
    await job('J2', 'acme', 'look', 10, called('gpt'), cancelled, answered(0.04, 'outcome_unknown'));
    await job('J3', 'bold', 'extract', 1, called('gpt'), answered(0, 'capacity'), called('fal', 's.2'));
    await job('J4', 'bold', 'extract', 1, failed);
    await side.fixture.append('job', 'J5', [queued('J5', 'bold', { chargeId: null, creditsCost: 8 })], {
      tenant: 'bold',
    });
    await side.fixture.passed((await side.fixture.store.head())!);
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
