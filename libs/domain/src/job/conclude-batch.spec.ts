import { describe, expect, it } from 'vitest';
import { given } from '../../../../test/support/given.js';
import { batchPartOf, concludeBatch, type BatchPart } from './conclude-batch.js';
import { evolveJob, initialJob, type Job, type QueuedJob } from './job.js';
import type { JobArtifact, JobEvent, JobFailurePart } from './job.events.js';

const job = { initial: initialJob, evolve: evolveJob };
const at = '2026-06-01T12:00:00.000Z';
const order: QueuedJob = {
  jobId: 'p',
  tenant: 'acme',
  requestId: 'r',
  chargeId: null,
  parentJobId: null,
  childJobIds: ['a', 'b'],
  operation: 'pdp-batch-extractions',
  jobType: 'PDP_BATCH_EXTRACTION',
  creditsCost: 8,
  displayName: '',
  request: {},
  inputs: [],
  seed: 1,
  at,
};
const queued: JobEvent = { type: 'JobQueued', data: order };
const started: JobEvent = { type: 'RenderStarted', data: { attempt: 1, worker: 'w', at } };
const cancelled: JobEvent = { type: 'JobCancelled', data: { reason: 'Enough.', at } };

function artifact(assetId: string, role: JobArtifact['role'] = 'final'): JobArtifact {
  return {
    assetId,
    storageKey: assetId,
    contentType: 'image/png',
    width: 1,
    height: 1,
    sha256: '00',
    kind: 'garment',
    role,
    label: '',
    meta: {},
  };
}

const good = (...assetIds: string[]): BatchPart => ({
  outcome: 'succeeded',
  artifacts: assetIds.map((id) => artifact(id)),
  failures: [],
});
const bad: BatchPart = { outcome: 'failed', code: 'ENGINE_POLICY', message: 'Refused.' };
const conclude =
  (parts: BatchPart[], shared: JobArtifact[] = []) =>
  (state: Job) =>
    concludeBatch({ parts, shared, at }, state);

/** The parent's fields in the event that ends it. */
const ended = { tenant: 'acme', chargeId: null, operation: 'pdp-batch-extractions', parentJobId: null };

/** The end of a batch that gave something. */
const succeededWith = (
  photographs: string,
  artifacts: JobArtifact[],
  failures: JobFailurePart[] = [],
): JobEvent => ({
  type: 'JobSucceeded',
  data: {
    message: `${photographs} photographs gave a result.`,
    artifacts,
    failures,
    provenance: null,
    at,
    ...ended,
  },
});

describe('concluding a batch', () => {
  it('waits until every photograph has ended', () => {
    given(job, [queued, started])
      .when(conclude([good('a'), { outcome: 'unfinished' }]))
      .then();
  });

  it('succeeds with each picture once, those that are shared last, all of them final', () => {
    given(job, [queued, started])
      .when(conclude([good('a', 's'), good('b', 's')], [artifact('s', 'intermediate')]))
      .then(
        succeededWith(
          '2 of 2',
          ['a', 's', 'b'].map((id) => artifact(id)),
        ),
      );
  });

  it('shows a garment first, whatever came before it: it stands for the batch in the gallery', () => {
    const of = (assetId: string, kind: string) => ({ ...artifact(assetId), kind });
    const [person, recipe] = [of('p', 'person'), of('r', 'photography_recipe')];
    const first: BatchPart = { outcome: 'succeeded', artifacts: [person, recipe], failures: [] };
    const second: BatchPart = { outcome: 'succeeded', artifacts: [of('g', 'garment')], failures: [] };
    const decision = concludeBatch(
      { parts: [first, second], shared: [of('s', 'background_plate')], at },
      [queued, started].reduce(evolveJob, initialJob),
    );
    const [event] = decision.kind === 'accepted' ? decision.events : [];
    const artifacts = event?.type === 'JobSucceeded' ? event.data.artifacts : [];
    expect(artifacts.map(({ assetId }) => assetId)).toEqual(['g', 'p', 'r', 's']);
  });

  it('names what could not be extracted for several photographs together', () => {
    const failure = { arm: 'person', code: 'NO_PERSON_FOUND', message: 'No head.' };
    given(job, [queued, started])
      .when(concludeBatch, { parts: [good('a')], shared: [], sharedFailures: [failure], at })
      .then(succeededWith('1 of 1', [artifact('a')], [{ ...failure, arm: 'grouping.person' }]));
  });

  it('succeeds when one photograph did, and names what gave nothing by its place', () => {
    const partly: BatchPart = {
      outcome: 'succeeded',
      artifacts: [artifact('a')],
      failures: [{ arm: 'person', code: 'NO_PERSON_FOUND', message: 'Nobody.' }],
    };
    const failures = [
      { arm: 'photos[0].person', code: 'NO_PERSON_FOUND', message: 'Nobody.' },
      { arm: 'photos[1]', code: 'ENGINE_POLICY', message: 'Refused.' },
    ];
    given(job, [queued, started])
      .when(conclude([partly, bad]))
      .then(succeededWith('1 of 2', [artifact('a')], failures));
  });

  it('fails when no photograph gave anything, in the attempt that it is in', () => {
    const data = {
      code: 'ALL_PARTS_FAILED' as const,
      at,
      ...ended,
      message: 'None of the photographs gave a result. Your credits were refunded.',
    };
    for (const [history, attempt] of [
      [[queued], 0],
      [[queued, started], 1],
    ] as [JobEvent[], number][]) {
      given(job, history)
        .when(conclude([bad, bad]))
        .then({ type: 'JobFailed', data: { ...data, attempt } });
    }
  });

  it('leaves a parent alone that has ended, and one that never was', () => {
    given(job, [queued, cancelled])
      .when(conclude([good('a')]))
      .thenRejected({ code: 'JOB_FINISHED' });
    given(job, [])
      .when(conclude([good('a')]))
      .thenRejected({ code: 'JOB_NOT_FOUND' });
  });
});

describe('a part of a batch', () => {
  it('is unfinished until its stream ends, or when there is none yet', () => {
    for (const history of [[], [queued], [queued, started]])
      expect(batchPartOf(history)).toEqual({ outcome: 'unfinished' });
  });

  it('has failed when it failed, was cancelled or was fenced off', () => {
    const failed: JobEvent = {
      type: 'JobFailed',
      data: { code: 'ENGINE_POLICY', message: 'Refused.', attempt: 1, at },
    };
    const voided: JobEvent = {
      type: 'JobVoided',
      data: { chargeId: 'r.0', tenant: 'acme', reason: 'orphaned', at },
    };
    expect(batchPartOf([queued, started, failed])).toEqual(bad);
    expect(batchPartOf([queued, cancelled])).toMatchObject({ outcome: 'failed', code: 'CANCELLED' });
    expect(batchPartOf([voided])).toMatchObject({ outcome: 'failed', code: 'NEVER_QUEUED' });
  });
});
