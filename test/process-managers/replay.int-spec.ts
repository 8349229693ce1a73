import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { EngineError } from '@atelier/engine';
import { engineThat } from '../worker/support/engines.js';
import { Workshop } from '../worker/support/workshop.js';
import { eventually } from '../support/eventually.js';
import { handledAll } from './support/handled-all.js';
import { Story } from './support/story.js';
import { untilEnd } from '../support/until-end.js';

const workshop = untilEnd(await Workshop.open());

/** The whole log as it is stored, ids and metadata included. */
const wholeLog = () => workshop.store.readAll({ limit: 4096 });

const pictures = () => readdir(workshop.folder, { recursive: true });

describe('a history in which everything happened', () => {
  it('fires nothing again when checkpoints and queue are lost and it is handled from position 0', async () => {
    let renders = 0;
    const engine = engineThat(async ({ seed }, { signal }) => {
      renders++;
      if (seed === 2) throw new EngineError('policy', 'not allowed');
      if (seed === 3) await sleep(60_000, undefined, { signal });
    });
    const projector = await workshop.startProjector({ orphanHorizonMs: 300 });
    const worker = await workshop.startWorker(engine);
    const tenant = await workshop.tenantWith(1_000);
    const story = new Story(workshop.store, workshop.accounts, tenant);

    const orphan = story.single();
    await story.charge(orphan);
    const [good, refused, slow] = [
      await workshop.dispatch(tenant, { seed: 1 }),
      await workshop.dispatch(tenant, { seed: 2 }),
      await workshop.dispatch(tenant, { seed: 3 }),
    ];
    const { parent, children } = story.batch(2);
    for (const child of children) await story.charge(child);
    await story.queue(parent);
    await eventually(async () => (await workshop.types('job', slow.jobId)).includes('RenderStarted'));
    await story.end({ ...story.single(), jobId: slow.jobId }, 'cancelled');
    for (const ids of [good, refused, slow]) await workshop.ended(tenant, ids);
    for (const { jobId, chargeId } of children) {
      await workshop.ended(tenant, { jobId, requestId: chargeId! });
    }
    await workshop.ended(tenant, { jobId: parent.jobId, requestId: 'no charge' });
    await eventually(async () => (await workshop.types('job', orphan.jobId)).includes('JobVoided'));
    await workshop.ended(tenant, orphan);
    await eventually(() => handledAll(workshop));
    await projector.stop();

    const before = await wholeLog();
    const types = new Set(before.map(({ type }) => type));
    for (const type of ['JobSucceeded', 'JobFailed', 'JobCancelled', 'JobVoided', 'CreditsSettled']) {
      expect(types).toContain(type);
    }
    const [rendersBefore, picturesBefore] = [renders, await pictures()];
    await workshop.query('delete from test.process_checkpoints');
    await workshop.query('delete from pgboss.job');

    await workshop.startProjector({ orphanHorizonMs: 300 });
    await eventually(() => handledAll(workshop));
    const left = () => workshop.query(`select from pgboss.job where state <> 'completed'`);
    const tasks = async () => (await workshop.query('select from pgboss.job')).rowCount;
    await eventually(async () => (await tasks()) === 3 + 1 + 2 && (await left()).rowCount === 0);
    await worker.stop();
    expect(renders).toBe(rendersBefore);
    expect(await pictures()).toEqual(picturesBefore);
    expect(await wholeLog()).toEqual(before);
  });
});
