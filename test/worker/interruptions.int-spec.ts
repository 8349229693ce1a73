import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handle } from '#application/aggregate.js';
import { jobAggregate } from '#application/job/job-writes.handler.js';
import { cancelJob, completeStage, startRender } from '#domain/job/render-job.js';
import { streamName } from '#domain/streams.js';
import { engineThat, obligingEngine } from './support/engines.js';
import { Workshop } from './support/workshop.js';
import { eventually } from '../support/eventually.js';

let workshop: Workshop;
const children: ChildProcess[] = [];

beforeAll(async () => {
  workshop = await Workshop.open();
  await workshop.startProjector();
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await workshop[Symbol.asyncDispose]();
});

async function messageOf(child: ChildProcess, type: string): Promise<void> {
  for (;;) {
    const [message] = (await once(child, 'message')) as [{ type: string }];
    if (message.type === type) return;
  }
}

/** A worker process that has begun a render which never ends. */
async function stuckWorkerProcess(): Promise<{ child: ChildProcess; rendering: Promise<void> }> {
  const entry = join(process.cwd(), 'dist/test/worker/support/worker-child.js');
  const child = fork(entry, [workshop.databaseUrl, join(workshop.folder, 'objects')], {
    stdio: 'inherit',
    execArgv: [],
  });
  children.push(child);
  await messageOf(child, 'ready');
  return { child, rendering: messageOf(child, 'rendering') };
}

async function cancel(tenant: string, jobId: string): Promise<void> {
  const at = new Date().toISOString();
  const decided = await handle(
    workshop.store,
    streamName('test', 'job', jobId),
    jobAggregate,
    (job) => cancelJob({ reason: 'Cancelled by the caller', at }, job),
    workshop.context(tenant),
  );
  expect(decided.kind).toBe('accepted');
}

describe('a worker that dies', () => {
  it('leaves its job to another one, which ends it once', async () => {
    const tenant = await workshop.tenantWith(100);
    const { child, rendering } = await stuckWorkerProcess();
    const ids = await workshop.dispatch(tenant);
    await rendering;
    child.kill('SIGKILL');
    await workshop.startWorker(obligingEngine).then(async (worker) => {
      await workshop.ended(tenant, ids);
      await worker.stop();
    });
    expect(await workshop.types('job', ids.jobId)).toEqual([
      'JobQueued',
      'RenderStarted',
      'StageCompleted',
      'RenderStarted',
      'JobSucceeded',
    ]);
    expect(await workshop.types('account', tenant)).toEqual([
      'AccountOpened',
      'CreditsPurchased',
      'CreditsDebited',
      'CreditsSettled',
    ]);
  });

  it('fails its job when that has killed as many workers as it has attempts', async () => {
    const tenant = await workshop.tenantWith(100);
    const ids = await workshop.dispatch(tenant);
    for (let attempt = 1; attempt <= 3; attempt++) {
      const at = new Date().toISOString();
      const takeUp = startRender.bind(undefined, { worker: 'worker-that-died', at });
      const stream = streamName('test', 'job', ids.jobId);
      await handle(workshop.store, stream, jobAggregate, takeUp, workshop.context(tenant));
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
    const stream = (jobId: string) => streamName('test', 'job', jobId);
    let jobId = '';
    let refused: unknown;
    const overtaken = engineThat(async (_request, context) => {
      const takeUp = startRender.bind(undefined, { worker: 'worker-other', at: new Date().toISOString() });
      await handle(workshop.store, stream(jobId), jobAggregate, takeUp, workshop.context(tenant));
      refused = await context
        .onStage({ stage: 'placed', message: 'Late', pictures: [] })
        .catch((error: unknown) => error);
      const stage = { stage: 'theirs', message: 'Theirs', artifacts: [], at: new Date().toISOString() };
      const report = completeStage.bind(undefined, { ...stage, attempt: 2 });
      await handle(workshop.store, stream(jobId), jobAggregate, report, workshop.context(tenant));
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
    await cancel(tenant, ids.jobId);
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
    await cancel(tenant, ids.jobId);
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
