import { testProof } from '../support/signing-key.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountWriter } from '#application/account/account-writer.js';
import { handle } from '#application/aggregate.js';
import { chargeCloserFollows, filterOf } from '#application/process-managers/process-managers.js';
import { ChargeCloser } from '#application/process-managers/charge-closer.js';
import { jobAggregate } from '#application/job/job-writes.handler.js';
import { cancelJob } from '#domain/job/render-job.js';
import { streamName } from '#domain/streams.js';
import { storeWith } from '#event-store/event-store.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { systemClock } from '#platform/clock.js';
import { createLogger } from '#platform/logger.js';
import { processTask } from '#read-store/process-runner.js';
import { runTasks } from '#read-store/exclusive-session.js';
import { Workshop } from '../worker/support/workshop.js';
import { eventually } from '../support/eventually.js';
import { commandBusOn } from '../support/command-bus.js';

const name = 'charge-closer';
let workshop: Workshop;
const stopping = new AbortController();
const running: Promise<void>[] = [];
const cleanups: (() => Promise<void>)[] = [];

beforeAll(async () => {
  workshop = await Workshop.open();
});

afterAll(async () => {
  stopping.abort();
  await Promise.all(running);
  for (const cleanup of cleanups) await cleanup();
  await workshop[Symbol.asyncDispose]();
});

/** Closes charges, as a projector does. Its appends wait for `gate`. */
async function startCloser(gate: Promise<void>) {
  const closer = { batches: 0, handled: 0, appends: 0 };
  const { store } = workshop;
  const gated = storeWith(store, {
    append: async (...args) => {
      closer.appends += 1;
      await gate;
      return store.append(...args);
    },
  });
  const url = workshop.databaseUrl;
  const { snapshots, close } = await openEventStore(
    { eventStoreUrl: url, databaseUrl: url },
    { proof: testProof },
  );
  cleanups.push(close);
  const accounts = new AccountWriter(gated, snapshots);
  const manager = new ChargeCloser(commandBusOn({ store: gated, accounts }), gated, systemClock);
  const log = createLogger('test', 'silent');
  const task = processTask({
    eventStore: store,
    name,
    environment: 'test',
    filter: filterOf(chargeCloserFollows, 'test'),
    log,
    handle: async (events) => {
      closer.batches += 1;
      await manager.handle('test', events);
      closer.handled += 1;
    },
  });
  running.push(runTasks({ url, tasks: [task], signal: stopping.signal, log, takeOverPollMs: 50 }));
  return closer;
}

async function cancelled(tenant: string): Promise<void> {
  const { jobId } = await workshop.dispatch(tenant);
  const command = { reason: 'Cancelled by the caller.', at: new Date().toISOString() };
  const stream = streamName('test', 'job', jobId);
  const context = workshop.context(tenant);
  await handle(workshop.store, stream, jobAggregate, (job) => cancelJob(command, job), context);
}

const refunds = async (tenant: string) =>
  (await workshop.find('account', tenant, 'CreditsRefunded')).map(({ chargeId }) => chargeId);
async function checkpoint(): Promise<{ position: string | null; epoch: string }> {
  const { rows } = await workshop.query(
    'select position, epoch from test.process_checkpoints where process = $1',
    [name],
  );
  return rows[0] as { position: string; epoch: string };
}

describe('a process manager that lost its lock in the middle of a batch', () => {
  it('may finish the batch late, beside its successor: nothing is refunded twice, and no checkpoint moves', async () => {
    const tenant = await workshop.tenantWith(100);
    const gate = Promise.withResolvers<void>();
    const paused = await startCloser(gate.promise);
    for (let job = 0; job < 3; job++) await cancelled(tenant);
    await eventually(() => paused.appends > 0);

    const successor = await startCloser(Promise.resolve());
    await workshop.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()`,
      [`atelier.process.test.${name}`],
    );
    await eventually(async () => (await refunds(tenant)).length === 3);
    await eventually(() => successor.handled > 0);
    await eventually(async () => (await checkpoint()).position !== null);
    const owned = await checkpoint();

    gate.resolve();
    await eventually(() => paused.handled === paused.batches);
    await cancelled(tenant);
    await eventually(async () => (await refunds(tenant)).length === 4);
    const closed = await refunds(tenant);
    expect(new Set(closed).size).toBe(closed.length);
    expect(await workshop.balance(tenant)).toBe(100);
    expect((await checkpoint()).epoch).toBe(owned.epoch);
    expect(BigInt((await checkpoint()).position!)).toBeGreaterThanOrEqual(BigInt(owned.position!));
  });
});
