import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CancelJob, CancelJobHandler } from '#application/job/cancel-job.handler.js';
import { FenceJob, QueueJob } from '#application/job/job-writes.handler.js';
import { newId } from '#platform/ids.js';
import { StoredJobs } from '#adapters/stored-jobs.js';
import { engineThat } from '../worker/support/engines.js';
import { dispatchBatch } from '../worker/support/batches.js';
import { Workshop } from '../worker/support/workshop.js';
import { eventually } from '../support/eventually.js';
import { handledAll } from './support/handled-all.js';
import { commandBusOn } from '../support/command-bus.js';
import { untilEnd } from '../support/until-end.js';

const workshop = untilEnd(await Workshop.open());
await workshop.startProjector();

const renderMs = 25;
/** These would take a minute: 10 of 40. */
const onlyCancelEnds = (seed: number) => seed % 4 === 1;
/** 4 of 40. */
const tooLate = (seed: number) => seed % 7 === 0 && !onlyCancelEnds(seed);

describe('callers who cancel while workers render and the charges of what ended are closed', () => {
  it('get their credits back if and only if the cancel won; the engine stops within a second', async () => {
    const tenant = await workshop.tenantWith(1_000);
    const abortedAfterMs: number[] = [];
    const cancelledAt = new Map<number, number>();
    const engine = engineThat(async ({ seed }, { signal }) => {
      signal.addEventListener('abort', () => {
        const at = cancelledAt.get(seed);
        if (at !== undefined) abortedAfterMs.push(performance.now() - at);
      });
      await sleep(onlyCancelEnds(seed) ? 60_000 : renderMs, undefined, { signal });
    });
    const workers = [await workshop.startWorker(engine), await workshop.startWorker(engine)];
    const handler = new CancelJobHandler(commandBusOn(workshop), new StoredJobs(workshop.store));
    const { caller } = workshop.request(tenant);

    const cancelOne = async (seed: number) => {
      const ids = await workshop.dispatch(tenant, { seed });
      const started = async () => (await workshop.types('job', ids.jobId)).includes('RenderStarted');
      // Some jobs are cancelled after they have ended, some while they wait, and the others close to the end of
      // their render. On a busy machine all of the last ones may win, or none.
      if (tooLate(seed)) await workshop.ended(tenant, ids);
      else if (seed % 4 !== 0) {
        await eventually(started);
        await sleep(Math.random() * 2 * renderMs);
      }
      cancelledAt.set(seed, performance.now());
      const outcome = await handler.execute(new CancelJob(caller, ids.jobId, newId(), new Date()));
      return { ids, won: outcome.kind === 'cancelled' };
    };
    const outcomes = await Promise.all(Array.from({ length: 40 }, (_, index) => cancelOne(index + 1)));
    for (const { ids } of outcomes) await workshop.ended(tenant, ids);
    await eventually(() => handledAll(workshop));
    for (const worker of workers) await worker.stop();

    const refunds = await workshop.find('account', tenant, 'CreditsRefunded');
    const settled = await workshop.find('account', tenant, 'CreditsSettled');
    for (const { ids, won } of outcomes) {
      const types = await workshop.types('job', ids.jobId);
      const ends = types.filter((type) => /^Job(Succeeded|Failed|Cancelled)$/.test(type));
      expect(ends).toEqual([won ? 'JobCancelled' : 'JobSucceeded']);
      const of = ({ chargeId }: { chargeId: string }) => chargeId === ids.requestId;
      expect(refunds.filter(of)).toHaveLength(won ? 1 : 0);
      expect(settled.filter(of)).toHaveLength(won ? 0 : 1);
    }
    const wins = outcomes.filter(({ won }) => won).length;
    expect(wins).toBeGreaterThan(8);
    expect(wins).toBeLessThan(40);
    expect(await workshop.balance(tenant)).toBe(1_000 - 5 * (40 - wins));
    expect(abortedAfterMs.length).toBeGreaterThan(0);
    expect(Math.max(...abortedAfterMs)).toBeLessThan(10_000);
  });
});

describe('a batch that is cancelled before its photographs are queued', () => {
  it('stops a photograph that is queued while the cancel fences it off, and refunds it as cancelled', async () => {
    // No projector runs here: nothing else may queue the photographs or refund them.
    await using shop = await Workshop.open();
    const { tenant, parent, children } = await dispatchBatch(shop, 2, 'children');
    const late = children[0]!;
    const bus = commandBusOn(shop);
    const execute = bus.execute.bind(bus);
    bus.execute = async (command: object) => {
      if (command instanceof FenceJob && command.id === late.jobId) {
        await execute(new QueueJob({ ...command.context, commandId: newId() }, late.jobId, late));
      }
      return execute(command);
    };
    const { caller } = shop.request(tenant);
    const cancelled = await new CancelJobHandler(bus, new StoredJobs(shop.store)).execute(
      new CancelJob(caller, parent.jobId, newId(), new Date()),
    );
    expect(cancelled.kind).toBe('cancelled');
    expect(await shop.types('job', late.jobId)).toEqual(['JobQueued', 'JobCancelled']);
    const refunds = await shop.find('account', tenant, 'CreditsRefunded');
    const reasons = children.map(
      ({ chargeId }) => refunds.find((refund) => refund.chargeId === chargeId)?.reason,
    );
    expect(reasons).toEqual(['job-cancelled', 'orphaned']);
    expect(await shop.balance(tenant)).toBe(100);
  });
});
