import type { DomainEvent } from '#domain/events.js';
import { react } from './charge-closer.js';
import type { DeliveredEvent } from './delivered-event.js';
import { renderTasksOf } from './render-dispatcher.js';

const charge = { chargeId: 'charge', tenant: 'tenant' };
const at = '2026-01-01T00:00:00.000Z';

function delivered(event: DomainEvent): DeliveredEvent {
  const metadata = {
    ...{ requestId: 'request', causationId: 'cause', tenant: 'tenant', actor: 'worker:w' },
    ...{ schemaVersion: 1, recordedAt: at },
  };
  return { ...event, streamId: 'job', metadata };
}

const queued = delivered({
  type: 'JobQueued',
  data: {
    ...{ jobId: 'job', tenant: 'tenant', requestId: 'request', chargeId: 'charge', parentJobId: null, at },
    ...{ operation: 'model-generator', jobType: 'MODEL_GENERATOR', creditsCost: 5, displayName: '' },
    ...{ request: {}, inputs: [], seed: 1 },
  },
});
const provenance = { engine: 'e', model: 'm', seed: 1, attempt: 1, renderMs: 1, inputHashes: [] };
const succeeded = delivered({ type: 'JobSucceeded', data: { message: '', artifacts: [], provenance, at } });
const failed = delivered({ type: 'JobFailed', data: { code: 'ENGINE_POLICY', message: '', attempt: 1, at } });
const cancelled = delivered({ type: 'JobCancelled', data: { reason: '', at } });
const voided = delivered({ type: 'JobVoided', data: { ...charge, reason: 'orphaned', at } });
const started = delivered({ type: 'RenderStarted', data: { attempt: 1, worker: 'w', at } });

describe('the charge closer', () => {
  it.each([
    ['settles when the job succeeded', succeeded, { kind: 'settle' }],
    ['refunds when it failed', failed, { kind: 'refund', reason: 'job-failed' }],
    ['refunds when it was cancelled', cancelled, { kind: 'refund', reason: 'job-cancelled' }],
    ['refunds when it was fenced off', voided, { kind: 'refund', reason: 'orphaned' }],
  ])('%s', (_rule, event, command) => {
    expect(react(event, charge)).toEqual({ ...charge, ...command });
  });

  it('does nothing while the job has not ended', () => {
    expect(react(queued, charge)).toBeUndefined();
    expect(react(started, charge)).toBeUndefined();
  });
});

describe('the render dispatcher', () => {
  it('makes one task of each queued job, and of nothing else', () => {
    const tasks = renderTasksOf('test', [queued, started, succeeded, failed, cancelled, voided]);
    expect(tasks).toEqual([{ environment: 'test', tenant: 'tenant', jobId: 'job' }]);
  });
});
