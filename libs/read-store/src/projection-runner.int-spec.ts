import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeWith, type EventStore } from '#event-store/event-store.js';
import { SkippedEvent } from './consumer-errors.js';
import { purchase } from './testing/purchases.js';
import { eventually, ReadStoreFixture } from './testing/read-store-fixture.js';
import { createTallyTable, tally } from './testing/tally.js';

let fixture: ReadStoreFixture;

beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
  await createTallyTable(fixture.url);
});

afterEach(() => fixture.dispose());

const tallies = () =>
  fixture.rows<{ tenant: string; purchases: number; credits: number; amounts: number[] }>(
    'select tenant, purchases, credits, amounts from live.tally order by tenant',
  );

/** The store as it looks to a consumer that does not get the second event of a stream. */
const withholding = (store: EventStore): EventStore =>
  storeWith(store, {
    async *subscribe(options) {
      for await (const batch of store.subscribe(options))
        yield { ...batch, events: batch.events.filter(({ revision }) => revision !== 1n) };
    },
  });

describe('a projection runner', () => {
  it('folds history first and then what is appended while it runs', async () => {
    await fixture.append('account', 'A', [purchase(1), purchase(2)]);
    await fixture.append('account', 'B', [purchase(10)]);
    fixture.start({ readModels: [tally()] });
    await fixture.passed((await fixture.store.head())!);
    const last = await fixture.append('account', 'A', [purchase(3)]);
    await fixture.passed(last);
    expect(await tallies()).toEqual([
      { tenant: 'A', purchases: 3, credits: 6, amounts: [1, 2, 3] },
      { tenant: 'B', purchases: 1, credits: 10, amounts: [10] },
    ]);
    expect(await fixture.positions()).toEqual({ tally: last });
  });

  it('removes a row for which the fold gives none, and can make it anew', async () => {
    const { runner } = fixture.start({ readModels: [tally()] });
    await fixture.passed(await fixture.append('account', 'A', [purchase(1)]));
    const at = new Date().toISOString();
    await fixture.passed(
      await fixture.append('account', 'A', [{ type: 'AccountSuspended', data: { reason: '', at } }]),
    );
    expect(await tallies()).toEqual([]);
    await fixture.passed(await fixture.append('account', 'A', [purchase(7)]));
    expect(await tallies()).toMatchObject([{ purchases: 1, credits: 7 }]);
    expect(runner.status.state).toBe('active');
  });

  it('gives the same rows however often it is stopped on the way', async () => {
    for (let i = 0; i < 40; i++) await fixture.append('account', `T${i % 3}`, [purchase(i), purchase(100)]);
    const head = (await fixture.store.head())!;
    let reached = 0n;
    for (let run = 0; reached < head; run++) {
      const { end } = fixture.start({ readModels: [tally()], batchSize: 3 });
      const before = reached;
      await eventually(async () => ((await fixture.positions())['tally'] ?? 0n) > before, 'a step');
      await end();
      reached = (await fixture.positions())['tally']!;
    }
    const bySums = [0, 1, 2].map((tenant) => {
      const own = Array.from({ length: 40 }, (_, i) => i).filter((i) => i % 3 === tenant);
      const amounts = own.flatMap((i) => [i, 100]);
      const credits = amounts.reduce((a, b) => a + b, 0);
      return { tenant: `T${tenant}`, purchases: amounts.length, credits, amounts };
    });
    expect(await tallies()).toEqual(bySums);
  });

  it('commits rows and checkpoint together: killed in between, it has done neither, and then both once', async () => {
    await fixture.append('account', 'A', [purchase(1)]);
    const first = fixture.start({ readModels: [tally()] });
    await fixture.passed((await fixture.store.head())!);
    const before = await fixture.positions();

    // A lock on the row stops the batch between the move of its checkpoint and the write of its rows.
    const blocker = await fixture.sql.connect();
    await blocker.query('begin');
    await blocker.query(`select from live.tally_g1 where tenant = 'A' for update`);
    const last = await fixture.append('account', 'A', [purchase(2)]);
    const blocked = `select pid from pg_stat_activity
      where application_name = 'atelier.projections.live' and wait_event_type = 'Lock' and datname = current_database()`;
    await eventually(async () => (await fixture.rows(blocked)).length === 1, 'the batch to be blocked');
    await fixture.rows(`select pg_terminate_backend(pid) from (${blocked})`);
    expect(await fixture.positions()).toEqual(before);
    expect(await tallies()).toMatchObject([{ credits: 1 }]);

    await blocker.query('rollback');
    blocker.release();
    await fixture.passed(last);
    expect(await tallies()).toMatchObject([{ purchases: 2, credits: 3 }]);
    expect(first.runner.status.state).toBe('active');
  });

  it('halts when an event of a stream does not arrive, and never passes it', async () => {
    const kept = await fixture.append('account', 'A', [purchase(1)]);
    await fixture.append('account', 'A', [purchase(2)]);
    await fixture.append('account', 'A', [purchase(3)]);
    const eventStore = withholding(fixture.store);
    const { ended, runner } = fixture.start({ readModels: [tally()], eventStore, batchSize: 1 });
    await expect(ended).rejects.toEqual(new SkippedEvent('live.account-A', 1n, 2n));
    expect(runner.status).toMatchObject({
      state: 'halted',
      problems: [expect.stringContaining('live.account-A')],
    });
    // The batch that lacked its event was empty. It may move the checkpoint up to the gap, but never beyond.
    expect((await fixture.positions())['tally']).toBeGreaterThanOrEqual(kept);
    expect(await tallies()).toMatchObject([{ purchases: 1, credits: 1 }]);
    expect(await fixture.rows(`select state, halted_because from read_store.projections`)).toEqual([
      { state: 'halted', halted_because: expect.stringContaining('refusing to skip') },
    ]);
  });

  it('halts likewise when the event is missing within a batch, and goes on once it is given', async () => {
    await fixture.append('account', 'A', [purchase(1), purchase(2), purchase(3)]);
    const eventStore = withholding(fixture.store);
    await expect(fixture.start({ readModels: [tally()], eventStore }).ended).rejects.toThrow(SkippedEvent);
    expect(await tallies()).toEqual([]);
    fixture.start({ readModels: [tally()] });
    const head = await fixture.store.head();
    await eventually(async () => (await fixture.positions())['tally'] === head, 'the gap to be passed');
    expect(await tallies()).toMatchObject([{ purchases: 3, credits: 6 }]);
    expect(await fixture.rows(`select state, halted_because from read_store.projections`)).toEqual([
      { state: 'live', halted_because: null },
    ]);
  });

  it('lets a read model that is new catch up without folding anything twice into the others', async () => {
    await fixture.append('account', 'A', [purchase(1), purchase(2)]);
    const { end } = fixture.start({ readModels: [tally()] });
    await fixture.passed((await fixture.store.head())!);
    await end();
    await createTallyTable(fixture.url, 'second');
    const last = await fixture.append('account', 'A', [purchase(3)]);
    fixture.start({ readModels: [tally(), tally('second')], batchSize: 1 });
    await eventually(async () => (await fixture.positions())['second'] === last, 'the new one to catch up');
    expect(await tallies()).toEqual([{ tenant: 'A', purchases: 3, credits: 6, amounts: [1, 2, 3] }]);
    expect(await fixture.rows('select amounts from live.second')).toEqual([{ amounts: [1, 2, 3] }]);
  });

  it('leaves a read model alone whose rows were made by another version of the fold', async () => {
    await createTallyTable(fixture.url, 'second');
    const first = fixture.start({ readModels: [tally(), tally('second')] });
    await fixture.passed(await fixture.append('account', 'A', [purchase(1)]));
    await first.end();
    const { runner } = fixture.start({ readModels: [tally(), tally('second', 2)] });
    await fixture.passed(await fixture.append('account', 'A', [purchase(2)]));
    expect(await tallies()).toMatchObject([{ credits: 3 }]);
    expect(await fixture.rows('select credits from live.second')).toEqual([{ credits: 1 }]);
    expect(runner.status.problems).toEqual([expect.stringMatching(/^second: .*version 1.*rebuild/)]);
  });
});
