import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { processManagers } from '#application/process-managers/process-managers.js';
import { storeWith, type NewEvent } from '#event-store/event-store.js';
import { readOpenCharges } from '#projections/ledger/ledger.reader.js';
import { readModels } from '#projections/read-models.js';
import { countedEvents } from '#read-store/consumers.js';
import { consumersOf } from '#read-store/consumers.js';
import { Installation, type ConsumerLevel } from '#read-store/installation.js';
import { pgBossQueueLevels } from '#render-queue/queue-levels.js';
import { Story } from '../process-managers/support/story.js';
import { Workshop } from '../worker/support/workshop.js';
import { eventually } from '../support/eventually.js';

let workshop: Workshop;
let installation: Installation;

beforeEach(async () => {
  workshop = await Workshop.open();
  const { databaseUrl, store } = workshop;
  const consumers = consumersOf(readModels, processManagers);
  installation = new Installation({ databaseUrl, eventStoreUrl: databaseUrl, store, consumers });
});
afterEach(async () => {
  await installation.close();
  await workshop[Symbol.asyncDispose]();
});

async function levelOf(name: string, environment = 'test'): Promise<ConsumerLevel> {
  const found = (await installation.consumers()).find(
    (each) => each.name === name && each.environment === environment,
  );
  if (!found) throw new Error(`no level of ${name}`);
  return found;
}

/** `count` events for one append, in a stream that only some consumers follow. */
function purchases(count: number, recordedAt = new Date()): NewEvent[] {
  return Array.from({ length: count }, () => ({
    id: randomUUID(),
    type: 'CreditsPurchased',
    data: { purchaseId: randomUUID(), kind: 'pack', amount: 1, label: 'Pack', at: recordedAt.toISOString() },
    metadata: {
      requestId: 'r',
      causationId: 'c',
      tenant: 'tenant',
      actor: 'operator',
      schemaVersion: 1,
      recordedAt: recordedAt.toISOString(),
    },
  }));
}

describe('lag', () => {
  it('is told of everything that follows the log although no projector has ever run', async () => {
    const tenant = await workshop.tenantWith(100);
    await workshop.dispatch(tenant);
    await workshop.dispatch(tenant);
    const levels = await installation.consumers();
    expect(levels).toHaveLength(2 * (readModels.length + processManagers.length));
    const eventsOf = (environment: string) =>
      Object.fromEntries(
        levels.filter((level) => level.environment === environment).map(({ name, events }) => [name, events]),
      );
    // An opening, a purchase, and a debit and a job for each dispatch. No job has ended, so no charge waits to
    // be closed.
    expect(eventsOf('test')).toMatchObject({
      ledger: 4,
      jobs: 2,
      'render-dispatcher': 2,
      'charge-closer': 0,
    });
    expect(Object.values(eventsOf('live')).every((events) => events === 0)).toBe(true);
  });

  it('is the age of the oldest event that waits, and nothing when the projector has caught up', async () => {
    const account = 'test.account-OLD';
    await workshop.store.append(account, 'no-stream', purchases(1, new Date(Date.now() - 90_000)));
    await workshop.store.append(account, 0n, purchases(1));
    const behind = await levelOf('ledger');
    expect(behind).toMatchObject({ events: 2, position: null });
    expect(behind.seconds).toBeGreaterThan(89);
    expect(behind.seconds).toBeLessThan(120);
    expect(await levelOf('jobs')).toMatchObject({ events: 0, seconds: 0 });

    const projector = await workshop.startProjector();
    await workshop.readModelsCaughtUp();
    expect(await levelOf('ledger')).toMatchObject({ events: 0, seconds: 0 });
    await projector.stop();
    await workshop.store.append(account, 1n, purchases(3));
    expect(await levelOf('ledger')).toMatchObject({ events: 3 });
  });

  it('of one that is far behind is bounded by the log, and costs two short looks', async () => {
    const account = 'test.account-MANY';
    await workshop.store.append(account, 'no-stream', purchases(1, new Date(Date.now() - 60_000)));
    for (let appended = 1; appended <= countedEvents; appended += 500) {
      await workshop.store.append(account, BigInt(appended - 1), purchases(500));
    }
    const reads: (number | undefined)[] = [];
    const { store } = workshop;
    const counting = storeWith(store, {
      readAll: (options) => {
        reads.push(options?.limit);
        return store.readAll(options);
      },
    });
    const consumers = consumersOf(readModels, processManagers);
    const { databaseUrl } = workshop;
    const observed = new Installation({
      databaseUrl,
      eventStoreUrl: databaseUrl,
      store: counting,
      consumers,
    });
    const levels = await observed.consumers();
    await observed.close();
    const ledger = levels.find(({ name, environment }) => name === 'ledger' && environment === 'test');
    expect(ledger?.events).toBe(1_001);
    expect(ledger?.seconds).toBeGreaterThan(59);
    expect(reads).toEqual([1]);
  });
});

describe('projections', () => {
  it('that are halted or have parked streams are told', async () => {
    const projector = await workshop.startProjector();
    await workshop.tenantWith(10);
    await workshop.readModelsCaughtUp();
    await projector.stop();
    await workshop.query(
      `update read_store.projections set state = 'halted' where environment = 'test' and name = 'jobs'`,
    );
    await workshop.query(`insert into read_store.parked_events
      select 'test', 'ledger', 1, stream, revision, 1, gen_random_uuid(), 'CreditsDebited', error
        from (values ('test.account-A', 3, 'why'), ('test.account-A', 4, null), ('test.account-B', 0, 'why'))
          as parked (stream, revision, error)`);
    expect(await levelOf('jobs')).toMatchObject({ halted: true, parkedStreams: 0 });
    expect(await levelOf('ledger')).toMatchObject({ halted: false, parkedStreams: 2 });
  });
});

describe('open charges', () => {
  it('are counted until they are closed, and those past the horizon without a job by themselves', async () => {
    const tenant = await workshop.tenantWith(100);
    await workshop.dispatch(tenant);
    // Leaves a debit without a job, as a crash after the debit does.
    const story = new Story(workshop.store, workshop.accounts, tenant);
    await story.charge(story.single(new Date(Date.now() - 50_000)));
    await workshop.startProjector();
    await workshop.readModelsCaughtUp();
    const levels = async (horizonMs: number) =>
      (await readOpenCharges(installation.database, horizonMs)).find(
        ({ environment }) => environment === 'test',
      );
    const level = await levels(40_000);
    expect(level).toMatchObject({ count: 2, credits: 10, orphaned: 1 });
    expect(level?.oldestSeconds).toBeGreaterThan(49);
    expect(await levels(3_600_000)).toMatchObject({ orphaned: 0 });
  });
});

describe('the render queue', () => {
  it('is told by state, without pg-boss', async () => {
    const tenant = await workshop.tenantWith(100);
    await workshop.startProjector();
    for (let count = 0; count < 3; count++) await workshop.dispatch(tenant);
    const pool = new pg.Pool({ connectionString: workshop.databaseUrl, max: 1 });
    const levels = pgBossQueueLevels(pool);
    const tasks = async () =>
      Object.fromEntries(
        (await levels())
          .filter(({ environment }) => environment === 'test')
          .map(({ state, tasks: count }) => [state, count]),
      );
    await eventually(async () => (await tasks())['waiting'] === 3);
    await workshop.query(
      `update pgboss.job set state = 'active', started_on = now() - interval '20 seconds'
        where id = (select id from pgboss.job where name = 'render-test' limit 1)`,
    );
    await workshop.query(
      `update pgboss.job set start_after = now() + interval '1 hour'
        where id = (select id from pgboss.job where name = 'render-test' and state = 'created' limit 1)`,
    );
    expect(await tasks()).toEqual({ waiting: 1, delayed: 1, active: 1 });
    const active = (await levels()).find(({ state, tasks: count }) => state === 'active' && count > 0);
    expect(active?.oldestSeconds).toBeGreaterThan(19);
    await pool.end();
  });
});

describe('readiness', () => {
  it('does not wait for a look at the levels that takes long', async () => {
    // The first call opens the connection; this test is about the waiting.
    await installation.problems();
    let isOver = false;
    const slow = installation.database.query('select pg_sleep(1.2)').then(() => (isOver = true));
    expect(await installation.problems()).toEqual([]);
    expect(isOver).toBe(false);
    await slow;
  });
});
