import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import pg from 'pg';
import { categoryPrefix } from '#domain/streams.js';
import { markingUnproven, refusingUnproven } from '#event-store/authentic/authentic-store.js';
import { EventMacs } from '#event-store/authentic/event-macs.js';
import { newEvent } from '../../../test/event-store/harness.js';
import { testProof } from '../../../test/support/signing-key.js';
import { FencedOff, asConsumerError } from './consumer-errors.js';
import { moveProcess, processTask, takeOverProcess, type ProcessOptions } from './process-runner.js';
import type { ProjectedEvent } from './projected-event.js';
import { runTasks } from './exclusive-session.js';
import { purchase } from './testing/purchases.js';
import { eventually, ReadStoreFixture, silent } from './testing/read-store-fixture.js';
import { openPostgresStore } from '../../../test/support/open-postgres-store.js';

let fixture: ReadStoreFixture;
let stop: AbortController;
let running: Promise<void>[];

beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
  await fixture.rows('create table live.effects (amount integer)');
  stop = new AbortController();
  running = [];
});

afterEach(async () => {
  vi.restoreAllMocks();
  stop.abort();
  await Promise.all(running);
  await fixture.dispose();
});

type Handle = ProcessOptions['handle'];

function start(
  handle: Handle,
  {
    signal = stop.signal,
    ...more
  }: { signal?: AbortSignal } & Partial<
    Pick<ProcessOptions, 'batchSize' | 'rememberedStreams' | 'eventStore'>
  > = {},
): { ended: Promise<void> } {
  const task = processTask({
    eventStore: fixture.store,
    name: 'bookkeeper',
    environment: 'live',
    filter: { types: ['CreditsPurchased'], streamPrefixes: [categoryPrefix('live', 'account')] },
    log: silent,
    ...more,
    handle,
  });
  const ended = runTasks({ url: fixture.url, tasks: [task], signal, log: silent, takeOverPollMs: 50 });
  running.push(ended);
  return { ended };
}

const amountsOf = (events: readonly ProjectedEvent[]) =>
  events.map((event) => (event.type === 'CreditsPurchased' ? event.data.amount : NaN));

const inserting: Handle = async (events) => async (tx) => {
  await tx.query('insert into live.effects select unnest($1::integer[])', [amountsOf(events)]);
};

const effects = async () =>
  (await fixture.rows<{ amount: number }>('select amount from live.effects order by amount')).map(
    ({ amount }) => amount,
  );
const position = async () =>
  (await fixture.rows<{ position: string }>('select position from live.process_checkpoints'))[0]?.position;

describe('a process', () => {
  it('does not take a stream that it has forgotten for one with a missing event', async () => {
    const seen: number[] = [];
    await fixture.append('account', 'A', [purchase(1)]);
    start(async (events) => void seen.push(...amountsOf(events)), { batchSize: 1, rememberedStreams: 2 });
    await eventually(() => seen.length === 1, 'the first one');
    for (const [index, id] of ['B', 'C', 'D', 'E', 'F', 'G'].entries())
      await fixture.append('account', id, [purchase(index + 2)]);
    await eventually(() => seen.length === 7, 'those of other streams');
    await fixture.append('account', 'A', [purchase(8)]);
    await eventually(() => seen.at(-1) === 8, 'the next one of the first stream');
  });

  it('gets each event that it asks for once, in order, over restarts', async () => {
    const seen: number[] = [];
    const handle = async (events: readonly ProjectedEvent[]) => void seen.push(...amountsOf(events));
    await fixture.append('account', 'A', [purchase(1), purchase(2)]);
    const first = new AbortController();
    const run = start(handle, { signal: first.signal, batchSize: 1 });
    await eventually(() => seen.length === 2, 'the first two');
    first.abort();
    await run.ended;
    const at = new Date().toISOString();
    await fixture.append('account', 'A', [
      { type: 'AccountSuspended', data: { reason: '', at } },
      purchase(3),
    ]);
    start(handle);
    await eventually(() => seen.length === 3, 'the third');
    expect(seen).toEqual([1, 2, 3]);
  });

  it('in a transaction that is killed half way has done nothing, and then does it once', async () => {
    let killed = false;
    start(async (events) => async (tx) => {
      await tx.query('insert into live.effects select unnest($1::integer[])', [amountsOf(events)]);
      if (killed) return;
      killed = true;
      const [row] = (await tx.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
      await fixture.rows('select pg_terminate_backend($1)', [row!.pid]);
    });
    const last = await fixture.append('account', 'A', [purchase(1)]);
    await eventually(async () => (await position()) === String(last), 'the checkpoint');
    expect(await effects()).toEqual([1]);
  });

  it('gets the same batch again when its handler fails, rolled back and with an alarm', async () => {
    const alarm = vi.spyOn(silent, 'error');
    let failures = 0;
    start(async (events) => async (tx) => {
      await tx.query('insert into live.effects select unnest($1::integer[])', [amountsOf(events)]);
      if (failures++ < 2) throw new Error('not yet');
    });
    const last = await fixture.append('account', 'A', [purchase(1)]);
    await eventually(async () => (await position()) === String(last), 'the checkpoint');
    expect(await effects()).toEqual([1]);
    expect(alarm.mock.calls.map(([fields]) => fields)).toEqual([
      expect.objectContaining({ process: 'bookkeeper' }),
      expect.objectContaining({ process: 'bookkeeper' }),
    ]);
  });

  it('at least once: killed after the effect and before the checkpoint, it repeats the effect', async () => {
    const seen: number[] = [];
    start(async (events) => {
      seen.push(...amountsOf(events));
      if (seen.length > 1) return;
      await fixture.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'atelier.process.live.bookkeeper' and datname = current_database()`,
      );
    });
    const last = await fixture.append('account', 'A', [purchase(1)]);
    await eventually(async () => (await position()) === String(last), 'the checkpoint');
    expect(seen).toEqual([1, 1]);
  });

  it('that was paused cannot move its checkpoint after a take-over', async () => {
    const client = new pg.Client({ connectionString: fixture.url });
    await client.connect();
    const paused = await takeOverProcess(client, 'live', 'bookkeeper');
    await takeOverProcess(client, 'live', 'bookkeeper');
    const late = await client
      .query(moveProcess(paused, 7n, { position: 7n, id: randomUUID() }))
      .catch((error: unknown) => asConsumerError(error));
    expect(late).toBeInstanceOf(FencedOff);
    expect(await position()).toBeNull();
    await client.end();
  });

  it('leaves out what another writer has appended, and what rests on it, and does all else', async () => {
    const macs = new EventMacs(testProof);
    const eventStore = refusingUnproven(markingUnproven(fixture.store, { macs }));
    // The forger has the password, but not the key.
    const forger = openPostgresStore(fixture.url);
    await fixture.append('account', 'victim', [purchase(1)]);
    await forger.append('live.account-victim', 0n, [
      newEvent({ amount: 1_000_000 }, { type: 'CreditsPurchased' }),
    ]);
    await forger.close();
    await fixture.append('account', 'victim', [purchase(2)]);
    await fixture.append('account', 'other', [purchase(4), purchase(8)]);
    const handle: Handle = async (events) => {
      // A command on the account reads its stream in the same way.
      for (const { stream } of events) if (stream.endsWith('victim')) await eventStore.readStream(stream);
      return inserting(events);
    };
    start(handle, { eventStore });
    await eventually(async () => (await effects()).length === 2, 'both of the other account');
    expect(await effects()).toEqual([4, 8]);
  });
});
