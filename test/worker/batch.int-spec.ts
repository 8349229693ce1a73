import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  batchParentsFollows,
  chargeCloserFollows,
  filterOf,
  renderDispatcherFollows,
} from '#application/process-managers/process-managers.js';
import { ChargeCloser } from '#application/process-managers/charge-closer.js';
import { BatchParents } from '#application/process-managers/batch-parents.js';
import { RenderDispatcher } from '#application/process-managers/render-dispatcher.js';
import type { QueuedJob } from '#domain/job/job.js';
import { decode } from '#domain/stored-events.js';
import { EngineError, type PartFailure } from '@atelier/engine';
import { SketchEngine } from '@atelier/sketch';
import { systemClock } from '#platform/clock.js';
import { toProjectedEvent } from '#read-store/projected-event.js';
import { BatchEngine, dispatchBatch, type Batch } from './support/batches.js';
import { Workshop } from './support/workshop.js';
import { Story } from '../process-managers/support/story.js';
import { sweep } from '../process-managers/support/sweep.js';
import { eventually } from '../support/eventually.js';
import { commandBusOn } from '../support/command-bus.js';
import { untilEnd } from '../support/until-end.js';

const workshop = untilEnd(await Workshop.open());
let projector: { stop(): Promise<void> };
let worker: { stop(): Promise<void> } | undefined;

beforeEach(async () => {
  projector = await workshop.startProjector();
});
afterEach(async () => {
  await worker?.stop();
  await projector.stop();
});

async function work(engine: BatchEngine, settings?: { concurrency: number }): Promise<BatchEngine> {
  worker = await workshop.startWorker(engine, settings);
  return engine;
}

/** Waits until all jobs of the batch have ended and all charges are closed. */
async function over({ tenant, parent, children }: Batch): Promise<void> {
  await workshop.ended(tenant, { jobId: parent.jobId, requestId: 'no charge' });
  for (const { jobId, chargeId } of children) await workshop.ended(tenant, { jobId, requestId: chargeId! });
}

const types = ({ jobId }: QueuedJob) => workshop.types('job', jobId);
const refuse = () => Promise.reject(new EngineError('policy', 'Refused.'));
const kinds = (artifacts: readonly { kind: string }[]) => artifacts.map(({ kind }) => kind);

async function succeeded({ jobId }: QueuedJob) {
  const [data] = await workshop.find('job', jobId, 'JobSucceeded');
  return data!;
}

async function jobLog(follows: typeof batchParentsFollows) {
  const filter = filterOf(follows, 'test');
  return (await workshop.store.readAll({ filter, limit: 4096 })).map(toProjectedEvent);
}

const everything = async () => (await workshop.store.readAll({ limit: 4096 })).map(decode);

describe('a batch', () => {
  it('is grouped first, and each photograph takes what it shares instead of reading it again', async () => {
    const engine = await work(new BatchEngine({ person: [0, 1], location: [0, 2] }));
    const batch = await dispatchBatch(workshop, 3);
    await over(batch);
    const { parent, children } = batch;
    expect(await types(parent)).toEqual(['JobQueued', 'RenderStarted', 'StageCompleted', 'JobSucceeded']);
    const [grouping] = await workshop.find('job', parent.jobId, 'StageCompleted');
    expect(grouping).toMatchObject({ stage: 'grouping', message: 'Read' });
    const [sheet, person, place] = grouping!.artifacts;
    expect(sheet).toMatchObject({ kind: 'grouping', role: 'intermediate' });

    const byPhoto = new Map(engine.asked.map(({ body }) => [body['product_name'], body['arms']]));
    expect(byPhoto.get('0')).toEqual(['garment', 'recipe']);
    expect(byPhoto.get('1')).toEqual(['garment', 'background', 'recipe']);
    expect(byPhoto.get('2')).toEqual(['garment', 'person', 'recipe']);

    const [first, second, third] = await Promise.all(children.map(succeeded));
    expect(kinds(first!.artifacts)).toEqual(['garment', 'recipe', 'person', 'background_plate']);
    const shared = [person, place].map((artifact) => ({ ...artifact, role: 'final' }));
    expect(first!.artifacts.slice(2)).toEqual(shared);
    expect(second!.artifacts[3]).toEqual(shared[0]);
    expect(third!.artifacts[3]).toEqual(shared[1]);

    const result = await succeeded(parent);
    expect(result).toMatchObject({ provenance: null, message: '3 of 3 photographs gave a result.' });
    expect(kinds(result.artifacts.slice(0, 3))).toEqual(['garment', 'garment', 'garment']);
    for (const each of shared) expect(result.artifacts).toContainEqual(each);
    expect(result.artifacts).toHaveLength(2 + 2 + 3 + 3);
    expect(new Set(result.artifacts.map(({ assetId }) => assetId)).size).toBe(10);
    expect(result.failures).toEqual([]);
    expect(await workshop.balance(batch.tenant)).toBe(100 - 12);
    expect(await workshop.find('account', batch.tenant, 'CreditsSettled')).toHaveLength(3);
  });

  it('counts what is shared as part of each photograph: one that gives nothing else succeeds, as it does alone', async () => {
    worker = await workshop.startWorker(new SketchEngine());
    const batch = await dispatchBatch(workshop, 2);
    await over(batch);
    for (const child of batch.children) {
      const { artifacts, failures } = await succeeded(child);
      expect(kinds(artifacts)).toEqual(['background_plate']);
      expect(failures?.map(({ arm }) => arm)).toEqual(['garment', 'person', 'recipe']);
    }
  });

  it('hands out no photograph before it was grouped', async () => {
    const { promise: grouped, resolve } = Promise.withResolvers<void>();
    const engine = await work(new BatchEngine({}, (photo) => (photo === undefined ? grouped : undefined)));
    const batch = await dispatchBatch(workshop, 2);
    await eventually(() => engine.asked.length === 1);
    // The process that enqueues has passed the photographs.
    await sleep(300);
    const tasks = `select from pgboss.job where data ->> 'jobId' = any($1)`;
    const ids = batch.children.map(({ jobId }) => jobId);
    expect((await workshop.query(tasks, [ids])).rowCount).toBe(0);
    resolve();
    await over(batch);
    expect(engine.asked).toHaveLength(3);
  });

  it('goes on when whoever dispatched it died before the photographs were queued', async () => {
    await work(new BatchEngine({ person: [0, 1] }));
    const batch = await dispatchBatch(workshop, 2, 'children');
    await over(batch);
    expect((await succeeded(batch.parent)).message).toBe('2 of 2 photographs gave a result.');
    const [queued] = await workshop.find('job', batch.children[1]!.jobId, 'JobQueued');
    expect(queued).toEqual(batch.children[1]);
  });

  it('enqueues a photograph that is queued after its batch was grouped', async () => {
    await projector.stop();
    const batch = await dispatchBatch(workshop, 2, 'children');
    const { parent, children } = batch;
    const stage = { stage: 'grouping', message: '', artifacts: [], at: parent.at };
    // The test reads its tasks, and enqueues none.
    const dispatcher = new RenderDispatcher(workshop.store, undefined as never);
    const tasksOf = async ({ jobId }: { jobId: string }) =>
      dispatcher.tasksOf(
        'test',
        (await jobLog(renderDispatcherFollows)).filter(({ streamId }) => streamId === jobId),
      );
    await new Story(workshop.store, workshop.accounts, batch.tenant).queue(children[0]!);
    expect(await tasksOf(children[0]!)).toEqual([]);
    await workshop.decide(batch.tenant, parent.jobId, () => ({
      kind: 'accepted',
      events: [{ type: 'StageCompleted', data: stage }],
    }));
    const task = { environment: 'test', tenant: batch.tenant, jobId: children[0]!.jobId };
    expect(await tasksOf(children[0]!)).toEqual([task]);
    // A worker would drop a task whose job is not there yet.
    expect(await tasksOf(parent)).toEqual([{ ...task, jobId: parent.jobId }, task]);
    await workshop.cancel(batch.tenant, parent.jobId);
    projector = await workshop.startProjector();
    await over(batch);
  });

  it('does not group again when its task is handed out again', async () => {
    const { promise: held, resolve } = Promise.withResolvers<void>();
    const engine = await work(new BatchEngine({}, (photo) => (photo === undefined ? undefined : held)));
    const batch = await dispatchBatch(workshop, 1);
    await eventually(() => engine.asked.length === 2);
    const again = `update pgboss.job set state = 'created', started_on = null, completed_on = null where data ->> 'jobId' = $1`;
    expect((await workshop.query(again, [batch.parent.jobId])).rowCount).toBe(1);
    // The first worker still holds the photograph.
    const other = await workshop.startWorker(engine);
    const completed = `select from pgboss.job where data ->> 'jobId' = $1 and state = 'completed'`;
    await eventually(async () => (await workshop.query(completed, [batch.parent.jobId])).rowCount === 1);
    await other.stop();
    resolve();
    await over(batch);
    expect(await workshop.find('job', batch.parent.jobId, 'RenderStarted')).toHaveLength(1);
    expect(engine.asked).toHaveLength(2);
  });
});

describe('a batch of which something fails', () => {
  it('succeeds without the photograph that failed, which is refunded', async () => {
    await work(new BatchEngine({ person: [0, 1] }, (photo) => (photo === 1 ? refuse() : undefined)));
    const batch = await dispatchBatch(workshop, 2);
    await over(batch);
    expect(await succeeded(batch.parent)).toMatchObject({
      message: '1 of 2 photographs gave a result.',
      failures: [{ arm: 'photos[1]', code: 'ENGINE_POLICY', message: 'Refused.' }],
    });
    expect(await workshop.balance(batch.tenant)).toBe(100 - 4);
  });

  it('is grouped without a photograph whose bytes are not those that were dispatched', async () => {
    await projector.stop();
    const engine = await work(new BatchEngine({}));
    const batch = await dispatchBatch(workshop, 2);
    await workshop.storage.put(batch.parent.inputs[0]!.storageKey, Buffer.from('other'), 'image/png');
    projector = await workshop.startProjector();
    await over(batch);
    expect(engine.asked[0]!.inputs.map(({ name }) => name)).toEqual(['photo-1']);
    expect((await succeeded(batch.parent)).failures).toMatchObject([
      { arm: 'photos[0]', code: 'ENGINE_REJECTED_INPUT' },
    ]);
  });

  it('says what its grouping could not extract, which each photograph is then read for', async () => {
    const failures: PartFailure[] = [
      { arm: 'person', code: 'NO_PERSON_FOUND', message: 'No head is to be seen.' },
    ];
    const engine = await work(new BatchEngine({ location: [0, 1], failures }));
    const batch = await dispatchBatch(workshop, 2);
    await over(batch);
    const [grouping] = await workshop.find('job', batch.parent.jobId, 'StageCompleted');
    expect(grouping).toMatchObject({ stage: 'grouping', failures });
    expect((await succeeded(batch.parent)).failures).toEqual([{ ...failures[0], arm: 'grouping.person' }]);
    for (const asked of engine.asked.slice(1)) expect(asked.body['arms']).toContain('person');
  });

  it('fails when all photographs did, and everything is refunded', async () => {
    await work(new BatchEngine({}, (photo) => (photo === undefined ? undefined : refuse())));
    const batch = await dispatchBatch(workshop, 2);
    await over(batch);
    expect(await workshop.find('job', batch.parent.jobId, 'JobFailed')).toMatchObject([
      { code: 'ALL_PARTS_FAILED', attempt: 1 },
    ]);
    expect(await workshop.balance(batch.tenant)).toBe(100);
  });

  it('ends its photographs, which are refunded, when it cannot be grouped', async () => {
    const engine = await work(new BatchEngine({}, refuse));
    const batch = await dispatchBatch(workshop, 2);
    await over(batch);
    expect(await types(batch.parent)).toEqual(['JobQueued', 'RenderStarted', 'JobFailed']);
    for (const child of batch.children) expect(await types(child)).toEqual(['JobQueued', 'JobCancelled']);
    expect(engine.asked).toHaveLength(1);
    expect(await workshop.balance(batch.tenant)).toBe(100);
  });

  it('ends the photographs that are left when it is cancelled, and keeps what was done', async () => {
    const stuck = new BatchEngine({}, (photo, { signal }) =>
      photo === 1 ? sleep(60_000, undefined, { signal }) : undefined,
    );
    // Photographs that are queued while their batch is being grouped may come in any order.
    await work(stuck, { concurrency: 2 });
    const batch = await dispatchBatch(workshop, 2);
    const [first, second] = batch.children;
    await eventually(async () => (await types(first!)).includes('JobSucceeded'));
    await eventually(async () => (await types(second!)).includes('RenderStarted'));
    await workshop.cancel(batch.tenant, batch.parent.jobId);
    await over(batch);
    expect(await workshop.find('job', second!.jobId, 'JobCancelled')).toMatchObject([
      { reason: 'The batch that this photograph belongs to has ended.' },
    ]);
    expect(await types(first!)).not.toContain('JobCancelled');
    expect(await workshop.balance(batch.tenant)).toBe(100 - 4);
  });

  it('does not wait for a photograph that the sweep has given back', async () => {
    await projector.stop();
    const batch = await dispatchBatch(workshop, 2, 'children');
    const [{ jobId, chargeId }] = batch.children as [QueuedJob];
    await sweep(workshop, { tenant: batch.tenant, jobId, chargeId });
    await work(new BatchEngine({}));
    projector = await workshop.startProjector();
    await workshop.ended(batch.tenant, { jobId: batch.parent.jobId, requestId: 'no charge' });
    const { failures } = await succeeded(batch.parent);
    expect(failures).toMatchObject([{ arm: 'photos[0]', code: 'NEVER_QUEUED' }]);
    await workshop.ended(batch.tenant, {
      jobId: batch.children[1]!.jobId,
      requestId: batch.children[1]!.chargeId!,
    });
    expect(await workshop.balance(batch.tenant)).toBe(100 - 4);
  });
});

describe('the processes that hold batches together and close charges', () => {
  it('do nothing when they are told again, twice or in another order', async () => {
    await work(new BatchEngine({ person: [0, 1] }, (photo) => (photo === 1 ? refuse() : undefined)));
    await over(await dispatchBatch(workshop, 2));
    const before = await everything();
    const managers = [
      [BatchParents, batchParentsFollows],
      [ChargeCloser, chargeCloserFollows],
    ] as const;
    for (const [Manager, follows] of managers) {
      const log = await jobLog(follows);
      const again = new Manager(commandBusOn(workshop), workshop.store, systemClock);
      await again.handle('test', [...log, ...log]);
      const backwards = new Manager(commandBusOn(workshop), workshop.store, systemClock);
      for (const event of log.toReversed()) await backwards.handle('test', [event]);
    }
    expect(await everything()).toEqual(before);
  });

  it('take up a batch where it was, when they were away as the photographs ended', async () => {
    const engine = await work(
      new BatchEngine({}, async (photo) => {
        if (photo === 0) await projector.stop();
      }),
    );
    const batch = await dispatchBatch(workshop, 1);
    await eventually(async () => (await types(batch.children[0]!)).includes('JobSucceeded'));
    expect(await types(batch.parent)).not.toContain('JobSucceeded');
    // Resets the checkpoints, as if the projector had died after its effects and before its checkpoints.
    await workshop.query(`update test.process_checkpoints set position = null`);
    projector = await workshop.startProjector();
    await over(batch);
    expect(engine.asked).toHaveLength(2);
    expect((await types(batch.parent)).filter((type) => type === 'JobSucceeded')).toHaveLength(1);
    expect(await workshop.balance(batch.tenant)).toBe(100 - 4);
  });
});
