import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { completeStage, startRender } from '#domain/job/render-job.js';
import { engineThat, obligingEngine } from './support/engines.js';
import { Workshop } from './support/workshop.js';
import { eventually } from '../support/eventually.js';
import { untilEnd } from '../support/until-end.js';

const workshop = untilEnd(await Workshop.open());
await workshop.startProjector();

describe('a worker that dies', () => {
  it('fails its job when that has killed as many workers as it has attempts', async () => {
    const tenant = await workshop.tenantWith(100);
    const ids = await workshop.dispatch(tenant);
    for (let attempt = 1; attempt <= 3; attempt++) {
      const takeUp = { worker: 'worker-that-died', at: new Date().toISOString() };
      await workshop.decide(tenant, ids.jobId, (job) => startRender(takeUp, job));
    }
    const worker = await workshop.startWorker(obligingEngine);
    await workshop.ended(tenant, ids);
    await worker.stop();
    expect(await workshop.find('job', ids.jobId, 'JobFailed')).toMatchObject([
      { code: 'ATTEMPTS_EXHAUSTED', attempt: 3 },
    ]);
    expect(await workshop.balance(tenant)).toBe(100);
  });

  it('gives its job back when it is stopped while rendering', async () => {
    const tenant = await workshop.tenantWith(100);
    let began = false;
    const slow = engineThat(async (_request, { signal }) => {
      began = true;
      await sleep(60_000, undefined, { signal });
    });
    const first = await workshop.startWorker(slow);
    const ids = await workshop.dispatch(tenant);
    await eventually(() => began);
    await first.stop(100);
    const second = await workshop.startWorker(obligingEngine);
    await workshop.ended(tenant, ids);
    await second.stop();
    expect(await workshop.find('job', ids.jobId, 'RenderStarted')).toMatchObject([
      { attempt: 1, worker: first.id },
      { attempt: 2, worker: second.id },
    ]);
  });
});

describe('a worker that was taken for dead', () => {
  it('is refused when it reports late: the job of the other worker stands', async () => {
    const tenant = await workshop.tenantWith(100);
    const { promise: frozen, resolve: wakeUp } = Promise.withResolvers<void>();
    let began = false;
    const freezing = engineThat(async () => {
      began = true;
      await frozen;
    });
    // It has room for this job only, so the other worker gets the task below.
    const zombie = await workshop.startWorker(freezing, { concurrency: 1 });
    const ids = await workshop.dispatch(tenant);
    await eventually(() => began);
    // Does the same as the queue to a worker that is silent for too long.
    await workshop.query(
      `update pgboss.job set state = 'created', started_on = null where data ->> 'jobId' = $1`,
      [ids.jobId],
    );
    const other = await workshop.startWorker(obligingEngine);
    await workshop.ended(tenant, ids);
    wakeUp();
    await sleep(300);
    await Promise.all([zombie.stop(), other.stop()]);
    const [succeeded, ...more] = await workshop.find('job', ids.jobId, 'JobSucceeded');
    expect(succeeded!.provenance!.attempt).toBe(2);
    expect(more).toEqual([]);
    expect(await workshop.types('job', ids.jobId)).toEqual([
      'JobQueued',
      'RenderStarted',
      'RenderStarted',
      'JobSucceeded',
    ]);
    expect(await workshop.find('account', tenant, 'CreditsSettled')).toHaveLength(1);
  });

  it('is refused in the middle of its stages', async () => {
    const tenant = await workshop.tenantWith(100);
    let jobId = '';
    let refused: unknown;
    const overtaken = engineThat(async (_request, context) => {
      const takeUp = { worker: 'worker-other', at: new Date().toISOString() };
      await workshop.decide(tenant, jobId, (job) => startRender(takeUp, job));
      refused = await context
        .onStage({ stage: 'placed', message: 'Late', pictures: [] })
        .catch((error: unknown) => error);
      const stage = { stage: 'theirs', message: 'Theirs', artifacts: [], at: new Date().toISOString() };
      await workshop.decide(tenant, jobId, (job) => completeStage({ ...stage, attempt: 2 }, job));
      throw refused;
    });
    // The dispatch comes before the worker starts, so that the engine knows the job's id when it runs.
    const ids = await workshop.dispatch(tenant);
    jobId = ids.jobId;
    const worker = await workshop.startWorker(overtaken);
    await eventually(() => refused !== undefined);
    await worker.stop(200);
    expect(String(refused)).toContain('another worker has taken the job up');
    expect((await workshop.find('job', jobId, 'StageCompleted')).map(({ stage }) => stage)).toEqual([
      'theirs',
    ]);
  });
});

describe('a cancelled job', () => {
  it('is aborted soon, even when the engine pays no attention, and refunded once', async () => {
    const tenant = await workshop.tenantWith(100);
    let aborted = 0;
    let began = false;
    const slow = engineThat(async (_request, { signal }) => {
      began = true;
      signal.addEventListener('abort', () => (aborted = Date.now()));
      await sleep(60_000, undefined, { ref: false });
    });
    const worker = await workshop.startWorker(slow);
    const ids = await workshop.dispatch(tenant);
    await eventually(() => began);
    const cancelledAt = Date.now();
    await workshop.cancel(tenant, ids.jobId);
    await eventually(() => aborted > 0);
    expect(aborted - cancelledAt).toBeLessThan(10_000);
    await workshop.ended(tenant, ids);
    await worker.stop();
    expect(await workshop.types('job', ids.jobId)).toEqual(['JobQueued', 'RenderStarted', 'JobCancelled']);
    expect(await workshop.find('account', tenant, 'CreditsRefunded')).toMatchObject([
      { chargeId: ids.requestId, amount: 5, reason: 'job-cancelled' },
    ]);
    expect(await workshop.balance(tenant)).toBe(100);
  });

  it('is never begun when no worker had taken it up', async () => {
    const tenant = await workshop.tenantWith(100);
    const ids = await workshop.dispatch(tenant);
    await workshop.cancel(tenant, ids.jobId);
    let calls = 0;
    const worker = await workshop.startWorker(
      engineThat(() => {
        calls++;
        return Promise.resolve();
      }),
    );
    await workshop.ended(tenant, ids);
    await sleep(1500);
    await worker.stop();
    expect(calls).toBe(0);
    expect(await workshop.types('job', ids.jobId)).toEqual(['JobQueued', 'JobCancelled']);
  });
});
