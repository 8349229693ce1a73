import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChargeCloser } from '#application/process-managers/charge-closer.js';
import { decode } from '#domain/stored-events.js';
import type { EventStore } from '#event-store/event-store.js';
import { systemClock } from '#platform/clock.js';
import { toProjectedEvent } from '#read-store/projected-event.js';
import { EngineError } from '@atelier/engine';
import { engineThat, obligingEngine } from './support/engines.js';
import { Workshop } from './support/workshop.js';
import { eventually } from '../support/eventually.js';
import { commandBusOn } from '../support/command-bus.js';

let workshop: Workshop;
let projector: { stop(): Promise<void> };

beforeAll(async () => {
  workshop = await Workshop.open();
  projector = await workshop.startProjector();
});

afterAll(async () => {
  await workshop[Symbol.asyncDispose]();
});

async function jobLog(store: EventStore) {
  const recorded = await store.readAll({ filter: { streamPrefixes: ['test.job-'] } });
  return recorded.map(toProjectedEvent);
}

async function accountEvents(tenant: string): Promise<string[]> {
  return workshop.types('account', tenant);
}

describe('the charge closer', () => {
  it('settles and refunds once, however often and in whatever order it is told', async () => {
    const tenant = await workshop.tenantWith(100);
    const good = await workshop.startWorker(obligingEngine);
    const kept = await workshop.dispatch(tenant);
    await workshop.ended(tenant, kept);
    await good.stop();
    const bad = await workshop.startWorker(
      engineThat(() => Promise.reject(new EngineError('policy', 'not allowed'))),
    );
    const refunded = await workshop.dispatch(tenant);
    await workshop.ended(tenant, refunded);
    await bad.stop();
    const before = await accountEvents(tenant);

    const events = await jobLog(workshop.store);
    const closer = new ChargeCloser(commandBusOn(workshop), workshop.store, systemClock);
    await closer.handle('test', events);
    // Without JobQueued in the batch, the charge is read from the job's first event.
    const again = new ChargeCloser(commandBusOn(workshop), workshop.store, systemClock);
    await again.handle('test', events.filter(({ type }) => type !== 'JobQueued').toReversed());
    expect(await accountEvents(tenant)).toEqual(before);
    expect(before.filter((type) => type === 'CreditsSettled')).toHaveLength(1);
    expect(before.filter((type) => type === 'CreditsRefunded')).toHaveLength(1);
    expect(await workshop.balance(tenant)).toBe(95);
  });

  it('commits the closings of one account together', async () => {
    const tenant = await workshop.tenantWith(1000);
    const worker = await workshop.startWorker(obligingEngine);
    const jobs = await Promise.all(Array.from({ length: 20 }, () => workshop.dispatch(tenant)));
    for (const ids of jobs) await workshop.ended(tenant, ids);
    await worker.stop();
    expect(await workshop.balance(tenant)).toBe(900);
    expect(await workshop.find('account', tenant, 'CreditsSettled')).toHaveLength(20);
  });
});

describe('replaying history', () => {
  it('never renders, charges or refunds again', async () => {
    const tenant = await workshop.tenantWith(100);
    let calls = 0;
    const counting = engineThat(() => {
      calls++;
      return Promise.resolve();
    });
    const worker = await workshop.startWorker(counting);
    const ids = await workshop.dispatch(tenant);
    await workshop.ended(tenant, ids);
    const everything = (await workshop.store.readAll({ limit: 4096 })).map(decode);

    // Empties the queue and the checkpoints, as if their database had been lost.
    await projector.stop();
    await workshop.query('delete from pgboss.job');
    await workshop.query('update test.process_checkpoints set position = null');
    await workshop.startProjector();
    const tasks = () => workshop.query(`select state from pgboss.job where state = 'completed'`);
    const jobs = everything.filter(({ type }) => type === 'JobQueued').length;
    await eventually(async () => (await tasks()).rowCount === jobs);
    await worker.stop();
    expect(calls).toBe(1);
    expect((await workshop.store.readAll({ limit: 4096 })).map(decode)).toEqual(everything);
  });
});
