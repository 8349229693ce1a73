import { testProof } from '../support/signing-key.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DispatchVoided } from '#application/dispatch/dispatcher.js';
import type { DispatchIds } from '#application/dispatch/idempotency.js';
import { sweepOrphans, type OrphanSweepOptions } from '#application/process-managers/orphan-sweep.js';
import { AccountWriter } from '#application/account/account-writer.js';
import { debitCredits } from '#domain/account/debit-credits.js';
import { storeWith, type EventStore } from '#event-store/event-store.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { systemClock } from '#platform/clock.js';
import { eventId, newId } from '#platform/ids.js';
import { createLogger } from '#platform/logger.js';
import { LedgerReader } from '#projections/ledger/ledger.reader.js';
import { readModelEntities } from '#projections/read-models.js';
import { createDataSource } from '#read-store/data-source.js';
import { ends, Story } from '../process-managers/support/story.js';
import { Workshop } from './support/workshop.js';
import { eventually } from '../support/eventually.js';
import { oneByOne } from '../support/one-by-one.js';
import { commandBusOn, dispatcherOn } from '../support/command-bus.js';

let workshop: Workshop;

beforeEach(async () => {
  workshop = await Workshop.open();
});

afterEach(async () => {
  await workshop[Symbol.asyncDispose]();
});

/** Leaves a charge as a crash between the debit and JobQueued does. */
async function orphanedCharge(tenant: string): Promise<DispatchIds> {
  const ids = { requestId: newId(), jobId: newId() };
  const { requestId, jobId } = ids;
  const charge = {
    chargeId: requestId,
    requestId,
    jobId,
    operation: 'model-generator',
    endpoint: '/v1/model-generator',
    amount: 5,
    at: new Date().toISOString(),
  };
  await workshop.accounts.execute(workshop.context(tenant, `debit:${requestId}`), (account) =>
    debitCredits([charge], account),
  );
  return ids;
}

/** The same store for a process that stops just before it writes its next job event. */
function stalling(store: EventStore, awake: Promise<void>): EventStore {
  const append: EventStore['append'] = async (stream, expected, events) => {
    if (stream.includes('.job-')) await awake;
    return store.append(stream, expected, events);
  };
  return storeWith(oneByOne(store), { append });
}

function sweepOf(candidates: readonly (DispatchIds & { tenant: string })[]): OrphanSweepOptions {
  const found = candidates.map(({ requestId: chargeId, ...rest }) => ({
    ...rest,
    chargeId,
    createdAt: new Date(0),
  }));
  return {
    environment: 'test',
    commands: commandBusOn(workshop),
    openCharges: { openChargesOlderThan: () => Promise.resolve(found) },
    clock: systemClock,
    logger: createLogger('test', 'silent'),
    orphanHorizonMs: 0,
  };
}

describe('an orphaned charge', () => {
  it('is fenced off and given back after the horizon, and a late JobQueued fails', async () => {
    await workshop.startProjector({ orphanHorizonMs: 1500 });
    const tenant = await workshop.tenantWith(100);
    const { promise: awake, resolve: wakeUp } = Promise.withResolvers<void>();
    const chargedAt = Date.now();
    const ids = { requestId: newId(), jobId: newId() };
    const stalled = dispatcherOn(stalling(workshop.store, awake), workshop.accounts).dispatch(
      workshop.request(tenant),
      ids,
    );
    await eventually(async () => (await workshop.balance(tenant)) === 95);
    await eventually(async () => (await workshop.balance(tenant)) === 100);
    expect(Date.now() - chargedAt).toBeGreaterThanOrEqual(1500);

    wakeUp();
    await expect(stalled).rejects.toThrow(DispatchVoided);
    expect(await workshop.types('job', ids.jobId)).toEqual(['JobVoided']);
    expect(await workshop.find('account', tenant, 'CreditsRefunded')).toMatchObject([
      { chargeId: ids.requestId, amount: 5, reason: 'orphaned' },
    ]);
    expect(await workshop.balance(tenant)).toBe(100);
  });

  it('is left alone while it is younger than the horizon', async () => {
    await workshop.startProjector({ orphanHorizonMs: 60_000 });
    const tenant = await workshop.tenantWith(100);
    const ids = await orphanedCharge(tenant);
    await workshop.readModelsCaughtUp();
    await sleep(500);
    await workshop.dispatchAs(ids, tenant);
    expect(await workshop.types('job', ids.jobId)).toEqual(['JobQueued']);
    expect(await workshop.balance(tenant)).toBe(95);
  });

  it('is found by the ledger only while no job came of it', async () => {
    await workshop.startProjector();
    const tenant = await workshop.tenantWith(100);
    const ids = await orphanedCharge(tenant);
    const queued = await workshop.dispatch(tenant);
    await workshop.readModelsCaughtUp();
    const dataSource = createDataSource({
      url: workshop.databaseUrl,
      schema: 'test',
      entities: readModelEntities,
    });
    await dataSource.initialize();
    const found = await new LedgerReader(dataSource).openChargesOlderThan(new Date(Date.now() + 1000), 10);
    await dataSource.destroy();
    expect(found).toMatchObject([{ tenant, chargeId: ids.requestId, jobId: ids.jobId, amount: 5 }]);
    expect(found).not.toMatchObject([{ chargeId: queued.requestId }]);
  });

  it('is spared when its job came after all: the fence loses', async () => {
    const tenant = await workshop.tenantWith(100);
    const ids = await workshop.dispatch(tenant);
    const result = await sweepOrphans(sweepOf([{ ...ids, tenant }]));
    expect(result).toEqual({ refunded: 0, closed: 0, spared: 1, failed: 0 });
    expect(await workshop.types('job', ids.jobId)).toEqual(['JobQueued']);
    expect(await workshop.balance(tenant)).toBe(95);
  });

  it.each(ends)(
    'is closed by the very event of the charge closer when its job has %s after all',
    async (how) => {
      const tenant = await workshop.tenantWith(100);
      const job = await new Story(workshop.store, workshop.accounts, tenant).told(how);
      const ids = { jobId: job.jobId, requestId: job.requestId };
      const sweep = sweepOf([{ ...ids, tenant }]);
      expect(await sweepOrphans(sweep)).toEqual({ refunded: 0, closed: 1, spared: 0, failed: 0 });
      const settled = how === 'succeeded';
      const closing = await workshop.store.readStream(`test.account-${tenant}`, { from: 3n });
      expect(closing.kind === 'found' && closing.events).toMatchObject([
        {
          type: settled ? 'CreditsSettled' : 'CreditsRefunded',
          id: eventId(`${settled ? 'settle' : 'refund'}:${job.chargeId}`, 0),
          data: { chargeId: job.chargeId, amount: 5, ...(!settled && { reason: `job-${how}` }) },
        },
      ]);
      await workshop.startProjector();
      await workshop.readModelsCaughtUp();
      expect(await sweepOrphans(sweep)).toMatchObject({ closed: 1 });
      expect(await workshop.balance(tenant)).toBe(settled ? 95 : 100);
      expect(await workshop.eventsOf('account', tenant)).toHaveLength(4);
    },
  );

  it('is refunded once, or becomes a job, when two sweeps and a late JobQueued come together', async () => {
    const tenant = await workshop.tenantWith(1000);
    const elsewhere = await openEventStore(
      {
        eventStoreUrl: workshop.databaseUrl,
        databaseUrl: workshop.databaseUrl,
      },
      { proof: testProof },
    );
    const accounts = new AccountWriter(elsewhere.store, elsewhere.snapshots);
    const commands = commandBusOn({ store: elsewhere.store, accounts });
    let voided = 0;
    for (let round = 0; round < 20; round++) {
      const ids = await orphanedCharge(tenant);
      const sweep = sweepOf([{ ...ids, tenant }]);
      // Sometimes the sweeps come first, sometimes the job, and often they overlap.
      const later = sleep(round % 10);
      const [late] = await Promise.allSettled([
        workshop.dispatchAs(ids, tenant),
        later.then(() => sweepOrphans(sweep)),
        later.then(() => sweepOrphans({ ...sweep, commands })),
      ]);
      const [first, ...more] = await workshop.types('job', ids.jobId);
      const refunds = (await workshop.find('account', tenant, 'CreditsRefunded')).filter(
        ({ chargeId }) => chargeId === ids.requestId,
      );
      expect(more).toEqual([]);
      expect(refunds).toHaveLength(first === 'JobVoided' ? 1 : 0);
      expect(late.status).toBe(first === 'JobVoided' ? 'rejected' : 'fulfilled');
      if (first === 'JobVoided') voided++;
    }
    await elsewhere.close();
    expect(await workshop.balance(tenant)).toBe(1000 - 5 * (20 - voided));
  });
});
