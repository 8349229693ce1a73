import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { categoryPrefix } from '#domain/streams.js';
import { storeWith, type EventStore } from '#event-store/event-store.js';
import { ConsumerHalted } from './consumer-errors.js';
import { runTasks } from './exclusive-session.js';
import { LogMismatch, requireOwnLog, resumeFrom } from './log-fit.js';
import { LogWatch } from './log-watch.js';
import { processTask } from './process-runner.js';
import { purchase } from './testing/purchases.js';
import { eventually, ReadStoreFixture, silent } from './testing/read-store-fixture.js';
import { createTallyTable, tally } from './testing/tally.js';

let fixture: ReadStoreFixture;
let stop: AbortController;
let running: Promise<unknown>[];

beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
  stop = new AbortController();
  running = [];
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await fixture.dispose();
});

/** Follows the purchases of `live`, and collects their amounts. */
function bookkeeper(eventStore: EventStore = fixture.store) {
  const seen: number[] = [];
  const task = processTask({
    eventStore,
    name: 'bookkeeper',
    environment: 'live',
    log: silent,
    filter: { types: ['CreditsPurchased'], streamPrefixes: [categoryPrefix('live', 'account')] },
    handle: async (events) => {
      for (const event of events) if (event.type === 'CreditsPurchased') seen.push(event.data.amount);
    },
  });
  const leaving = new AbortController();
  const signal = AbortSignal.any([stop.signal, leaving.signal]);
  const ended = runTasks({ url: fixture.url, tasks: [task], signal, log: silent, takeOverPollMs: 50 });
  running.push(ended.catch(() => undefined));
  const leave = () => {
    leaving.abort();
    return ended;
  };
  return { seen, ended, leave };
}

const checkpoint = async () =>
  (
    await fixture.rows<{ position: string; event_id: string; halted_because: string | null }>(
      'select position, event_id, halted_because from live.process_checkpoints',
    )
  )[0]!;

/** A process manager handles a purchase and further ones, and ends. `lose`: the log loses the further ones. */
async function handledPurchases(...amounts: number[]) {
  const kept = await fixture.append('account', 'A', [purchase(1)]);
  const first = bookkeeper();
  const last = await fixture.append(
    'account',
    'B',
    amounts.map((amount) => purchase(amount)),
  );
  await eventually(async () => (await checkpoint())?.position === String(last), 'the checkpoint');
  await first.leave();
  const { event_id: handled } = await checkpoint();
  return { last, handled, lose: () => fixture.restoreLog(kept) };
}

describe('a process manager whose log was restored to an older state', () => {
  it('halts although the log has grown past its checkpoint, and says what it found and what to do', async () => {
    const { last, handled, lose } = await handledPurchases(2, 3);
    await lose();
    await fixture.append('account', 'C', [purchase(4), purchase(5), purchase(6)]);

    const second = bookkeeper();
    await expect(second.ended).rejects.toThrow(ConsumerHalted);
    expect(second.seen).toEqual([]);
    const { halted_because: because } = await checkpoint();
    expect(because).toContain(`made from event ${handled} at position ${last}, and the log has event`);
    expect(because).toMatch(/restore the log .+ or stop all roles and run "atelier checkpoints reset"/);
    expect(because).not.toContain('\n');
  });

  it('keeps the API closed while it stands still, although a retry has written its event again at the same place', async () => {
    const { last, handled, lose } = await handledPurchases(2);
    const watch = new LogWatch(fixture.sql, { store: fixture.store, place: 'here' });
    await watch.begin();
    expect(watch.fits).toBe(true);
    await lose();
    await expect(bookkeeper().ended).rejects.toThrow(ConsumerHalted);
    await watch.begin();
    expect(watch.misfit).toContain(`made from event ${handled}`);

    await fixture.append('account', 'C', [purchase(3)]);
    await fixture.rows(`alter table event_store.events disable trigger append_only`);
    await fixture.rows(`update event_store.events set id = $1 where position = $2`, [handled, last]);
    await fixture.rows(`alter table event_store.events enable trigger append_only`);
    await watch.begin();
    expect(watch.misfit).toContain('live bookkeeper is halted: its checkpoint was made from event');
    expect(watch.fits).toBe(false);
  });

  it('is reported once, and once more when it fits again', async () => {
    await fixture.append('account', 'A', [purchase(1)]);
    const last = await fixture.store.lastEvent();
    let looks = 0;
    const query = async (text: string, values?: unknown[]) => {
      looks += 1;
      return { rows: await fixture.rows(text, values) };
    };
    const told: string[] = [];
    const write = (line: string) => told.push((JSON.parse(line) as { msg: string }).msg);
    const logger = pino({ level: 'warn' }, { write });
    const watch = new LogWatch({ query }, { store: fixture.store, place: 'here' });
    const looked = async () => {
      const before = looks;
      await eventually(() => looks > before + 8, 'further looks');
    };
    await fixture.rows(
      `insert into live.process_checkpoints (process, position, event_position, event_id)
        values ('bookkeeper', $1, $1, gen_random_uuid())`,
      [last!.position],
    );
    running.push(watch.follow(1, logger, stop.signal));
    await eventually(() => told.length > 0, 'the report');
    await looked();
    expect(told).toEqual([expect.stringContaining('checkpoints do not fit the log. live bookkeeper')]);
    await fixture.rows('update live.process_checkpoints set event_id = $1', [last!.id]);
    await eventually(() => told.length > 1, 'the second report');
    await looked();
    expect(told.slice(1)).toEqual(['the checkpoints fit the log again']);
  });

  it('goes on behind its own last event where only events that it never wants were lost', async () => {
    await fixture.append('account', 'A', [purchase(1)]);
    const first = bookkeeper();
    await eventually(() => first.seen.length === 1, 'the first purchase');
    const kept = (await fixture.store.head())!;
    const others = await fixture.append('key', 'K', [revoked()]);
    await fixture.rows('update live.process_checkpoints set position = $1', [others]);
    await first.leave();
    await fixture.restoreLog(kept);
    await fixture.append('account', 'B', [purchase(2)]);

    const second = bookkeeper();
    await eventually(() => second.seen.length === 1, 'the purchase where the lost event was');
    expect(second.seen).toEqual([2]);
  });
});

describe('a checkpoint from before there were events in them', () => {
  it('is believed once, and completed', async () => {
    await fixture.append('account', 'A', [purchase(1)]);
    const old = await fixture.append('account', 'A', [purchase(2)]);
    await fixture.rows(`insert into live.process_checkpoints (process, position) values ('bookkeeper', $1)`, [
      old,
    ]);
    const process = bookkeeper();
    const position = await fixture.append('account', 'A', [purchase(3)]);
    await eventually(async () => (await checkpoint()).position === String(position), 'the checkpoint');
    expect(process.seen).toEqual([3]);
    const last = await fixture.store.lastEvent();
    expect((await checkpoint()).event_id).toBe(last!.id);
  });
});

describe('a process manager that is not given an event', () => {
  it('halts instead of passing over it, whatever type it has', async () => {
    const skipping = storeWith(fixture.store, {
      async *subscribe(options) {
        for await (const batch of fixture.store.subscribe(options)) {
          yield { ...batch, events: batch.events.filter(({ revision }) => revision !== 1n) };
        }
      },
    });
    const process = bookkeeper(skipping);
    await fixture.append('account', 'A', [purchase(1), suspended(), purchase(3)]);
    await expect(process.ended).rejects.toThrow(/revision 2 was delivered where 1 had to come next/);
    expect(process.seen).toEqual([]);
  });
});

describe('a checkpoint', () => {
  it('goes on behind its event, or where it was set back to before that', async () => {
    const [first, second, third] = await Promise.all(
      ['A', 'B', 'C'].map((tenant) => fixture.append('account', tenant, [purchase(1)])),
    ).then((positions) => positions.toSorted((one, other) => Number(one - other)));
    const anchor = (await fixture.store.lastEvent(second))!;
    const resumed = async (position: bigint) =>
      (await resumeFrom(fixture.store, { position, anchor })).position;
    expect(await resumed(third!)).toBe(second);
    expect(await resumed(first!)).toBe(first);
  });
});

describe('an installation', () => {
  const log = (place: string, identity: string = randomUUID()) => ({
    place,
    store: storeWith(fixture.store, { identity: () => Promise.resolve(identity) }),
  });

  it('belongs to the log that binds it first, and refuses each other one', async () => {
    const ours = randomUUID();
    await requireOwnLog(fixture.sql, log('here', ours));
    await requireOwnLog(fixture.sql, log('here', ours));
    await expect(requireOwnLog(fixture.sql, log('there'))).rejects.toThrow(
      `this installation belongs to the log ${ours} at here, and EVENT_STORE_URL names the log`,
    );
  });

  it('belongs to one log, however many bind it at the same time', async () => {
    const places = ['one', 'two', 'three', 'four'];
    const ends = await Promise.allSettled(places.map((place) => requireOwnLog(fixture.sql, log(place))));
    const refusals = ends.filter((end) => end.status === 'rejected').map(({ reason }) => reason as unknown);
    expect(refusals).toEqual(Array.from({ length: 3 }, () => expect.any(LogMismatch)));
  });
});

describe('read models whose log was restored to an older state', () => {
  it('stand still although the log has grown past them', async () => {
    await createTallyTable(fixture.url);
    const kept = await fixture.append('account', 'A', [purchase(1)]);
    const first = fixture.start({ readModels: [tally()] });
    await fixture.passed(await fixture.append('account', 'B', [purchase(2), purchase(3)]));
    await first.end();
    await fixture.restoreLog(kept);
    await fixture.append('account', 'C', [purchase(4), purchase(5), purchase(6)]);
    fixture.start({ readModels: [tally()] });
    const state = () =>
      fixture.rows<{ state: string; halted_because: string }>(
        'select state, halted_because from read_store.projections',
      );
    await eventually(async () => (await state())[0]?.state === 'halted', 'the halt');
    expect((await state())[0]?.halted_because).toContain('its checkpoint was made from event');
    expect(await fixture.rows('select from live.tally where tenant = $1', ['C'])).toEqual([]);
  });
});

const at = '2026-01-01T00:00:00.000Z';
const suspended = () => ({ type: 'AccountSuspended' as const, data: { reason: '', at } });
const revoked = () => ({ type: 'ApiKeyRevoked' as const, data: { reason: 'asked', at } });
