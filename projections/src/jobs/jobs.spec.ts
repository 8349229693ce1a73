import { describe, expect, it } from 'vitest';
import {
  artifact,
  at,
  cancelled,
  failed,
  inStream,
  queued,
  renderStarted,
  stageCompleted,
  startedAgain,
  succeeded,
  voided,
} from '../testing/stories.js';
import { foldRow } from '#read-store/read-model.js';
import { jobsReadModel } from './jobs.read-model.js';

const fold = (...events: Parameters<typeof inStream>[2]) =>
  foldRow(jobsReadModel, inStream('job', 'J', events));

describe('the row of a job', () => {
  it('begins with JobQueued', () => {
    expect(fold(queued('J', 'acme'))).toEqual({
      publicId: 'J',
      tenant: 'acme',
      jobType: 'MODEL_GENERATOR',
      operation: 'model-generator',
      status: 'NOT_STARTED',
      creditsCost: 5,
      requestId: 'request-of-J',
      chargeId: 'request-of-J',
      parentJobId: null,
      childIndex: null,
      displayName: 'Asha',
      imageModel: null,
      idempotencyKey: null,
      idempotencyBody: null,
      dataSubjects: null,
      createdAt: new Date(at(0)),
      startedAt: null,
      finishedAt: null,
      result: null,
      error: null,
      erasedAt: null,
      latestSeq: 1,
      latestEvent: expect.objectContaining({ seq: 1, eventType: 'queued', createdAt: at(0) }),
      revision: 0,
    });
  });

  it('is in progress from the first attempt on, which the public timeline does not show', () => {
    const row = fold(queued('J', 'acme'), renderStarted, startedAgain);
    expect(row).toMatchObject({ status: 'IN_PROGRESS', startedAt: new Date(at(1)), revision: 2 });
    expect(row).toMatchObject({ latestSeq: 1, latestEvent: { eventType: 'queued' } });
  });

  it('follows the stages', () => {
    const row = fold(queued('J', 'acme'), renderStarted, stageCompleted);
    expect(row).toMatchObject({ status: 'IN_PROGRESS', latestSeq: 3, finishedAt: null });
    expect(row!.latestEvent).toEqual({
      seq: 3,
      eventType: 'stage',
      stage: 'pose',
      message: 'Posed.',
      artifacts: [artifact('intermediate', 'Pose')],
      extra: {},
      createdAt: at(3),
    });
  });

  it('carries the result of a success', () => {
    expect(fold(queued('J', 'acme'), renderStarted, succeeded)).toMatchObject({
      status: 'SUCCESS',
      result: succeeded.data.artifacts,
      error: null,
      finishedAt: new Date(at(4)),
      latestEvent: { eventType: 'succeeded', seq: 3 },
    });
  });

  it('carries the reason of a failure', () => {
    expect(fold(queued('J', 'acme'), renderStarted, failed)).toMatchObject({
      status: 'FAILURE',
      result: null,
      error: { code: 'ENGINE_POLICY', message: 'The picture was refused.' },
      finishedAt: new Date(at(4)),
    });
  });

  it('counts a cancelled job as failed, with its own code', () => {
    expect(fold(queued('J', 'acme'), cancelled)).toMatchObject({
      status: 'FAILURE',
      startedAt: null,
      error: { code: 'CANCELLED', message: 'Cancelled by the caller.' },
      latestEvent: { eventType: 'failed', extra: { error: { code: 'CANCELLED' } } },
    });
  });

  it('does not exist for a stream that was only fenced', () => {
    expect(fold(voided)).toBeUndefined();
  });

  it('refuses a stream that does not begin with JobQueued', () => {
    expect(() => fold(renderStarted)).toThrow('before JobQueued');
  });

  it('leaves the row before as it was', () => {
    const events = inStream('job', 'J', [queued('J', 'acme'), succeeded]);
    const before = foldRow(jobsReadModel, events.slice(0, 1));
    const kept = structuredClone(before);
    foldRow(jobsReadModel, events);
    expect(before).toEqual(kept);
  });
});
