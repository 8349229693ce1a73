import { afterEach, describe, expect, it } from 'vitest';
import { renderDispatcher } from '#application/process-managers/process-managers.js';
import type { DispatchIds } from '#application/dispatch/idempotency.js';
import { taskId } from '#render-queue/pg-boss-render-queue.js';
import { BatchEngine, dispatchBatch, type Batch } from './support/batches.js';
import { engineThat, obligingEngine } from './support/engines.js';
import { Workshop } from './support/workshop.js';
import { eventually } from '../support/eventually.js';
import { untilEnd } from '../support/until-end.js';

const workshop = untilEnd(await Workshop.open());
let running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const role of running) await role.stop();
  running = [];
  await workshop.query(`delete from pgboss.job`);
});

async function start<Role extends { stop(): Promise<void> }>(starting: Promise<Role>): Promise<Role> {
  const role = await starting;
  running.unshift(role);
  return role;
}

async function dispatched(tenant: string, count: number): Promise<DispatchIds[]> {
  const jobs = [];
  for (let each = 0; each < count; each++) jobs.push(await workshop.dispatch(tenant));
  return jobs;
}

/**
 * The tenant's tasks that are not done. Tasks of an earlier test may come back: its projector stopped before
 * the dispatcher's checkpoint had moved.
 */
async function openTasks(tenant: string): Promise<string[]> {
  const { rows } = await workshop.query(
    `select data->>'jobId' as job from pgboss.job where state <= 'active' and data->>'tenant' = $1 order by 1`,
    [tenant],
  );
  return (rows as { job: string }[]).map(({ job }) => job);
}

const jobIds = (jobs: readonly DispatchIds[]) => jobs.map(({ jobId }) => jobId).sort();
const tasksAre = (tenant: string, jobs: readonly string[]) =>
  eventually(async () => (await openTasks(tenant)).join() === jobs.join());
const loseTasks = () => workshop.query(`delete from pgboss.job where state = 'created'`);

/** Checks that each job has ended after one attempt, and was charged once. */
async function endedOnce(tenant: string, jobs: readonly DispatchIds[], before: number): Promise<void> {
  for (const job of jobs) await workshop.ended(tenant, job);
  for (const { jobId } of jobs) {
    const types = await workshop.types('job', jobId);
    expect(types.filter((type) => type === 'RenderStarted')).toHaveLength(1);
    expect(types.at(-1)).toBe('JobSucceeded');
  }
  expect(await workshop.balance(tenant)).toBe(before - 5 * jobs.length);
}

describe('a job whose task is lost', () => {
  it('gets it again by itself, once, however many look', async () => {
    const tenant = await workshop.tenantWith(100);
    await start(workshop.startProjector());
    await start(workshop.startProjector());
    const jobs = await dispatched(tenant, 5);
    await tasksAre(tenant, jobIds(jobs));
    await loseTasks();
    await tasksAre(tenant, jobIds(jobs));
    await start(workshop.startWorker(obligingEngine));
    await endedOnce(tenant, jobs, 100);
  });

  it('gets it also when it was taken for done', async () => {
    const tenant = await workshop.tenantWith(100);
    await start(workshop.startProjector());
    const jobs = await dispatched(tenant, 1);
    await tasksAre(tenant, jobIds(jobs));
    await workshop.query(`update pgboss.job set state = 'completed', completed_on = now()`);
    await tasksAre(tenant, jobIds(jobs));
    await start(workshop.startWorker(obligingEngine));
    await endedOnce(tenant, jobs, 100);
  });

  it('gets it where the checkpoint of the render dispatcher was moved past it', async () => {
    const tenant = await workshop.tenantWith(100);
    const first = await start(workshop.startProjector());
    await workshop.readModelsCaughtUp();
    await first.stop();
    const jobs = await dispatched(tenant, 3);
    const last = await workshop.store.lastEvent();
    await workshop.query(
      `update test.process_checkpoints set position = $1, event_position = $1, event_id = $2 where process = $3`,
      [last!.position, last!.id, renderDispatcher],
    );
    await start(workshop.startProjector());
    await tasksAre(tenant, jobIds(jobs));
    await start(workshop.startWorker(obligingEngine));
    await endedOnce(tenant, jobs, 100);
  });

  it('comes back with its queue when that was dropped while everything runs', async () => {
    const tenant = await workshop.tenantWith(100);
    const held = Promise.withResolvers<void>();
    await start(workshop.startProjector());
    await start(workshop.startWorker(engineThat(() => held.promise)));
    const before = await dispatched(tenant, 2);
    await eventually(async () => (await workshop.types('job', before[0]!.jobId)).includes('RenderStarted'));
    await workshop.query('drop schema pgboss cascade');
    const after = await dispatched(tenant, 2);
    held.resolve();
    for (const job of [...before, ...after]) await workshop.ended(tenant, job);
    expect(await workshop.balance(tenant)).toBe(100 - 20);
  });

  it('is left alone while a worker has it', async () => {
    const tenant = await workshop.tenantWith(100);
    const held = Promise.withResolvers<void>();
    await start(workshop.startProjector());
    await start(workshop.startWorker(engineThat(() => held.promise)));
    const jobs = await dispatched(tenant, 1);
    await eventually(async () => (await workshop.types('job', jobs[0]!.jobId)).includes('RenderStarted'));
    // Other jobs are found stranded meanwhile, so the projector has searched.
    const lost = await dispatched(tenant, 1);
    await tasksAre(tenant, jobIds([...jobs, ...lost]));
    await loseTasks();
    await tasksAre(tenant, jobIds([...jobs, ...lost]));
    held.resolve();
    await endedOnce(tenant, [...jobs, ...lost], 100);
  });
});

describe('a batch whose tasks are lost', () => {
  const parts = ({ children }: Batch) => children.map(({ jobId }) => jobId).sort();

  async function ended(batch: Batch): Promise<void> {
    const { tenant, parent, children } = batch;
    await workshop.ended(tenant, { jobId: parent.jobId, requestId: 'no charge' });
    for (const { jobId, chargeId } of children) await workshop.ended(tenant, { jobId, requestId: chargeId! });
    expect((await workshop.types('job', parent.jobId)).at(-1)).toBe('JobSucceeded');
    expect(await workshop.find('account', tenant, 'CreditsSettled')).toHaveLength(children.length);
  }

  it('before it was grouped, gets that of its parent', async () => {
    await start(workshop.startProjector());
    const batch = await dispatchBatch(workshop, 3);
    await tasksAre(batch.tenant, [batch.parent.jobId]);
    await loseTasks();
    await tasksAre(batch.tenant, [batch.parent.jobId]);
    await start(workshop.startWorker(new BatchEngine({})));
    await ended(batch);
  });

  it('after it was grouped, gets those of its photographs', async () => {
    await start(workshop.startProjector());
    const batch = await dispatchBatch(workshop, 3);
    const held = Promise.withResolvers<void>();
    const holding = new BatchEngine({}, (photo) => (photo === undefined ? undefined : held.promise));
    const worker = await start(workshop.startWorker(holding));
    await tasksAre(batch.tenant, parts(batch));
    await worker.stop();
    held.resolve();
    await workshop.query('delete from pgboss.job');
    await tasksAre(batch.tenant, parts(batch));
    await start(workshop.startWorker(new BatchEngine({})));
    await ended(batch);
  });

  it('gets that of its parent when a restore took its grouping and left a photograph its task', async () => {
    const projector = await start(workshop.startProjector());
    const batch = await dispatchBatch(workshop, 2);
    await tasksAre(batch.tenant, [batch.parent.jobId]);
    await projector.stop();
    const { jobId } = batch.children[0]!;
    await workshop.query(
      `update pgboss.job set id = $2, data = jsonb_set(data, '{jobId}', to_jsonb($3::text))
        where data->>'jobId' = $1`,
      [batch.parent.jobId, taskId({ environment: 'test', jobId }), jobId],
    );
    await start(workshop.startWorker(new BatchEngine({})));
    await start(workshop.startProjector());
    await ended(batch);
  });

  it('and whose process manager has passed over it, is begun and ended all the same', async () => {
    // Read models reach the end of a log that has one.
    await workshop.tenantWith(100);
    const first = await start(workshop.startProjector());
    await workshop.readModelsCaughtUp();
    await first.stop();
    const batch = await dispatchBatch(workshop, 2, 'children');
    const last = await workshop.store.lastEvent();
    await workshop.query(
      `update test.process_checkpoints set position = $1, event_position = $1, event_id = $2`,
      [last!.position, last!.id],
    );
    await start(workshop.startProjector());
    await start(workshop.startWorker(new BatchEngine({})));
    await ended(batch);
  });
});

describe('a task whose job a restore took from the log', () => {
  it('is dropped: no attempt can help it', async () => {
    const tenant = await workshop.tenantWith(100);
    const projector = await start(workshop.startProjector());
    const [job] = await dispatched(tenant, 1);
    await tasksAre(tenant, jobIds([job!]));
    await projector.stop();
    await workshop.query(
      `update pgboss.job set data = jsonb_set(data, '{jobId}', '"01J00000000000000000000000"')`,
    );
    await start(workshop.startWorker(obligingEngine));
    await tasksAre(tenant, []);
  });
});
