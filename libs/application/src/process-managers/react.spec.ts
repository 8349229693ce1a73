import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '#domain/events.js';
import { reactOfBatch } from './batch-parents.js';
import { reactOfCloser } from './charge-closer.js';
import type { DeliveredEvent } from './delivered-event.js';
import { reactOfDispatcher } from './render-dispatcher.js';

const charge = { chargeId: 'charge', tenant: 'tenant' };
const at = '2026-01-01T00:00:00.000Z';

function delivered(event: DomainEvent): DeliveredEvent {
  const metadata = {
    requestId: 'request',
    causationId: 'cause',
    tenant: 'tenant',
    actor: 'worker:w',
    schemaVersion: 1,
    recordedAt: at,
  };
  return { ...event, streamId: 'job', metadata };
}

const order = {
  jobId: 'job',
  tenant: 'tenant',
  requestId: 'request',
  chargeId: 'charge',
  parentJobId: null,
  at,
  operation: 'model-generator',
  jobType: 'MODEL_GENERATOR',
  creditsCost: 5,
  displayName: '',
  request: {},
  inputs: [],
  seed: 1,
};
const queued = delivered({ type: 'JobQueued', data: order });
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
    expect(reactOfCloser(event, charge)).toEqual({ ...charge, ...command });
  });

  it('does nothing while the job has not ended', () => {
    expect(reactOfCloser(queued, charge)).toBeUndefined();
    expect(reactOfCloser(started, charge)).toBeUndefined();
  });
});

const stage = (name: string) =>
  delivered({ type: 'StageCompleted', data: { stage: name, message: '', artifacts: [], at } });
const queuedAs = (kind: 'parent' | 'child') => {
  const ids =
    kind === 'parent' ? { chargeId: null, childJobIds: ['a'] } : { parentJobId: 'p', childIndex: 0 };
  return delivered({ type: 'JobQueued', data: { ...order, ...ids } });
};

describe('the render dispatcher', () => {
  const grouped = ['a', 'b'];

  it('starts each job when it is queued, a photograph of a batch only when its parent was grouped', () => {
    expect(reactOfDispatcher(queued, undefined)).toEqual(['job']);
    expect(reactOfDispatcher(queuedAs('parent'), undefined)).toEqual(['job']);
    expect(reactOfDispatcher(queuedAs('child'), undefined)).toEqual([]);
    expect(reactOfDispatcher(queuedAs('child'), grouped)).toEqual(['job']);
    expect(reactOfDispatcher(stage('grouping'), grouped)).toEqual(grouped);
  });

  it('starts nothing for any other event', () => {
    for (const event of [started, stage('lighting'), succeeded, failed, cancelled, voided])
      expect(reactOfDispatcher(event, grouped)).toEqual([]);
  });
});

describe('the parents of batches', () => {
  const child = { kind: 'child', parentJobId: 'p' } as const;
  const parent = { kind: 'parent' } as const;

  it('have their photographs queued, and cancelled when they end without a result', () => {
    expect(reactOfBatch(queued, parent)).toEqual({ kind: 'begin', parentJobId: 'job' });
    for (const end of [failed, cancelled])
      expect(reactOfBatch(end, parent)).toEqual({ kind: 'cancel', parentJobId: 'job' });
    expect(reactOfBatch(succeeded, parent)).toBeUndefined();
  });

  it('are looked at whenever one of their photographs ends, however it does', () => {
    for (const end of [succeeded, failed, cancelled])
      expect(reactOfBatch(end, child)).toEqual({ kind: 'conclude', parentJobId: 'p' });
    for (const event of [queued, started, stage('grouping')])
      expect(reactOfBatch(event, child)).toBeUndefined();
  });

  it('are nothing to a job without a batch', () => {
    for (const event of [queued, started, succeeded, failed, cancelled, voided])
      expect(reactOfBatch(event, { kind: 'single' })).toBeUndefined();
  });
});
