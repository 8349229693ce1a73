import type { DomainEvent } from '#domain/events.js';
import type { EngineOutcome } from '#domain/job/job.events.js';
import { startReadSide, type ReadSide } from './read-side.js';
import { at, cancelled, failed, queued, renderStarted, succeeded } from './stories.js';

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

/** A read side with jobs that called vendors: one succeeded, two did not, and one called none; and the parent of a batch. */
export async function startCalledJobs(): Promise<ReadSide> {
  const side = await startReadSide();
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
  return side;
}
