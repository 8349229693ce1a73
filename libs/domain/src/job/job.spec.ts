import { describe, expect, it } from 'vitest';
import { given } from '../../../../test/support/given.js';
import type { JobEvent, Provenance } from './job.events.js';
import { evolveJob, initialJob, type Job, type QueuedJob, queueJob, voidJob } from './job.js';
import { cancelJob, completeStage, failJob, maxAttempts, startRender, succeedJob } from './render-job.js';

const job = { initial: initialJob, evolve: evolveJob };
const at = '2026-06-01T12:00:00.000Z';
const order: QueuedJob = {
  jobId: 'j1',
  tenant: 'acme',
  requestId: 'c1',
  chargeId: 'c1',
  operation: 'model-generator',
  jobType: 'MODEL_GENERATOR',
  creditsCost: 5,
  displayName: '',
  request: {},
  inputs: [],
  seed: 7,
  parentJobId: null,
  at,
};
const provenance: Provenance = {
  engine: 'sketch',
  model: 'sketch-1',
  seed: 7,
  attempt: 1,
  renderMs: 900,
  inputHashes: [],
};

const queued: JobEvent = { type: 'JobQueued', data: order };
const started = (attempt: number): JobEvent => ({
  type: 'RenderStarted',
  data: { attempt, worker: 'w1', at },
});
/** The job's fields in every event that ends it. */
const ended = { tenant: 'acme', chargeId: 'c1', operation: 'model-generator', parentJobId: null };
const succeeded: JobEvent = {
  type: 'JobSucceeded',
  data: { message: 'Done', artifacts: [], provenance, at, ...ended },
};
const failed: JobEvent = {
  type: 'JobFailed',
  data: { code: 'ENGINE_POLICY', message: 'Refused', attempt: 1, at, ...ended },
};
const cancelled: JobEvent = { type: 'JobCancelled', data: { reason: 'caller', at, ...ended } };
const voided: JobEvent = {
  type: 'JobVoided',
  data: { chargeId: 'c1', tenant: 'acme', reason: 'orphaned', at },
};

const queue = (state: Job) => queueJob(order, state);
const voidIt = (state: Job) => voidJob({ chargeId: 'c1', tenant: 'acme', at }, state);
const start = (state: Job) => startRender({ worker: 'w1', at }, state);
const succeed = (state: Job) => succeedJob({ message: 'Done', artifacts: [], provenance, at }, state);
const fail = (state: Job) => failJob({ code: 'ENGINE_POLICY', message: 'Refused', attempt: 1, at }, state);
const cancel = (state: Job) => cancelJob({ reason: 'caller', at }, state);
const stage = (attempt: number) => (state: Job) =>
  completeStage({ stage: 'croquis', message: 'Drawn', artifacts: [], at, attempt }, state);

describe('queueing a job', () => {
  it('queues a job once', () => {
    given(job, []).when(queue).then(queued);
    given(job, [queued]).when(queue).thenRejected({ code: 'JOB_EXISTS' });
  });

  it('never queues a job that was fenced off', () => {
    given(job, [voided]).when(queue).thenRejected({ code: 'JOB_VOIDED' });
  });

  it('fences a job that never came, and only such a one', () => {
    given(job, []).when(voidIt).then(voided);
    given(job, [voided]).when(voidIt).then();
    given(job, [queued]).when(voidIt).thenRejected({ code: 'JOB_EXISTS' });
  });
});

describe('rendering a job', () => {
  it('counts each start as an attempt', () => {
    given(job, [queued]).when(start).then(started(1));
    given(job, [queued, started(1)])
      .when(start)
      .then(started(2));
  });

  it('fails a job whose attempts are used up instead of starting it again', () => {
    const history = [queued, ...Array.from({ length: maxAttempts }, (_, index) => started(index + 1))];
    const decision = start(given(job, history).state);
    expect(decision).toMatchObject({
      kind: 'accepted',
      events: [{ type: 'JobFailed', data: { code: 'ATTEMPTS_EXHAUSTED', attempt: maxAttempts, ...ended } }],
    });
  });

  it('takes stages and the end from the attempt that holds the job, and from no other', () => {
    given(job, [queued, started(1)])
      .when(stage(1))
      .then({ type: 'StageCompleted', data: { stage: 'croquis', message: 'Drawn', artifacts: [], at } });
    given(job, [queued, started(1), started(2)])
      .when(stage(1))
      .thenRejected({ code: 'NOT_YOUR_ATTEMPT' });
    given(job, [queued, started(1), started(2)])
      .when(succeed)
      .thenRejected({ code: 'NOT_YOUR_ATTEMPT' });
    given(job, [queued]).when(fail).thenRejected({ code: 'NOT_YOUR_ATTEMPT' });
  });

  it('ends once: every terminal state absorbs what comes after it', () => {
    for (const end of [succeeded, failed, cancelled]) {
      for (const attempt of [start, stage(1), succeed, fail, cancel]) {
        given(job, [queued, started(1), end])
          .when<unknown>(attempt)
          .thenRejected({ code: 'JOB_FINISHED' });
      }
    }
  });

  it('says with its end whose it was and what was paid for it', () => {
    given(job, [queued, started(1)])
      .when(succeed)
      .then(succeeded);
    given(job, [queued, started(1)])
      .when(fail)
      .then(failed);
  });

  it('can be cancelled while it waits and while it renders', () => {
    given(job, [queued]).when(cancel).then(cancelled);
    given(job, [queued, started(1)])
      .when(cancel)
      .then(cancelled);
  });

  it('knows no job before it is queued, and none that was fenced off', () => {
    for (const history of [[], [voided]]) {
      given(job, history).when(start).thenRejected({ code: 'JOB_NOT_FOUND' });
      given(job, history).when(cancel).thenRejected({ code: 'JOB_NOT_FOUND' });
    }
  });
});
