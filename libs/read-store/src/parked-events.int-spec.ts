import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listParkedStreams } from './parked-events.js';
import type { ProjectedEvent } from './projected-event.js';
import type { ReadModel } from './read-model.js';
import { purchase } from './testing/purchases.js';
import { eventually, ReadStoreFixture, silent } from './testing/read-store-fixture.js';
import { createTallyTable, poison, tally, type TallyRow } from './testing/tally.js';

let fixture: ReadStoreFixture;

beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
  await createTallyTable(fixture.url);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await fixture.dispose();
});

const tallies = () =>
  fixture.rows<{ tenant: string; amounts: number[] }>(
    'select tenant, amounts from live.tally order by tenant',
  );
const parked = () =>
  fixture.rows<{ name: string; stream: string; revision: string; error: string | null }>(
    'select name, generation, stream, revision, event_type, error from read_store.parked_events order by name, position',
  );

describe('an event that a read model cannot fold', () => {
  it('parks its stream for that model, in order, while the others go on', async () => {
    const alarm = vi.spyOn(silent, 'error');
    fixture.start({ readModels: [tally()] });
    await fixture.append('account', 'A', [purchase(1), purchase(2, poison), purchase(3)]);
    await fixture.append('account', 'B', [purchase(10)]);
    await fixture.passed(await fixture.append('account', 'A', [purchase(4)]));
    expect(await tallies()).toEqual([
      { tenant: 'A', amounts: [1] },
      { tenant: 'B', amounts: [10] },
    ]);
    const common = { name: 'tally', generation: 1, stream: 'live.account-A', event_type: 'CreditsPurchased' };
    expect(await parked()).toEqual([
      { ...common, revision: '1', error: expect.stringContaining('this label cannot be folded') },
      { ...common, revision: '2', error: null },
      { ...common, revision: '3', error: null },
    ]);
    // It is raised after the commit that made the rows visible.
    await eventually(() => alarm.mock.calls.length > 0, 'the alarm');
    expect(alarm).toHaveBeenCalledTimes(1);
    expect(alarm.mock.calls[0]).toEqual([
      expect.objectContaining({ projection: 'tally', stream: 'live.account-A', revision: '1' }),
      expect.stringContaining('parked'),
    ]);
  });

  it('keeps its stream parked over a restart', async () => {
    const first = fixture.start({ readModels: [tally()] });
    await fixture.passed(await fixture.append('account', 'A', [purchase(2, poison)]));
    await first.end();
    fixture.start({ readModels: [tally()] });
    await fixture.passed(await fixture.append('account', 'A', [purchase(3)]));
    expect(await tallies()).toEqual([]);
    expect(await parked()).toHaveLength(2);
  });

  it('is parked for one read model and folded by another', async () => {
    await createTallyTable(fixture.url, 'tolerant');
    const tolerant: ReadModel<TallyRow> = {
      ...tally('tolerant'),
      evolve: (row, event, key) =>
        tally().evolve(row, { ...event, data: { ...event.data, label: 'mended' } } as ProjectedEvent, key),
    };
    fixture.start({ readModels: [tally(), tolerant] });
    await fixture.passed(await fixture.append('account', 'A', [purchase(1, poison), purchase(2)]));
    expect(await tallies()).toEqual([]);
    expect(await fixture.rows('select amounts from live.tolerant')).toEqual([{ amounts: [1, 2] }]);
    expect((await parked()).map(({ name }) => name)).toEqual(['tally', 'tally']);
  });

  it('is found and parked too when it is PostgreSQL that refuses its row', async () => {
    for (let i = 0; i < 10; i++) await fixture.append('account', `T${i}`, [purchase(i)]);
    // No text of PostgreSQL can hold a NUL.
    await fixture.append('account', 'T5', [purchase(100, 'a\0b')]);
    const last = await fixture.append('account', 'T9', [purchase(200)]);
    fixture.start({ readModels: [tally()] });
    await fixture.passed(last);
    await fixture.passed(await fixture.append('account', 'T5', [purchase(101)]));
    expect((await tallies()).map(({ amounts }) => amounts)).toEqual(
      Array.from({ length: 10 }, (_, i) => (i === 9 ? [9, 200] : [i])),
    );
    expect(await parked()).toMatchObject([
      { stream: 'live.account-T5', revision: '1', error: expect.stringContaining('0x00') },
      { stream: 'live.account-T5', revision: '2', error: null },
    ]);
  });

  it('is parked when this release does not know its type', async () => {
    const at = new Date().toISOString();
    const unknown = { type: 'AccountPainted', data: { at } } as unknown as ReturnType<typeof purchase>;
    fixture.start({ readModels: [tally()] });
    await fixture.passed(await fixture.append('account', 'A', [purchase(1), unknown, purchase(2)]));
    expect(await tallies()).toEqual([{ tenant: 'A', amounts: [1] }]);
    expect(await parked()).toMatchObject([
      { error: expect.stringContaining('AccountPainted') },
      { error: null },
    ]);
  });
});

describe('parked streams', () => {
  it('are listed with what is wrong, since when, and what waits behind it', async () => {
    fixture.start({ readModels: [tally()] });
    const before = Date.now();
    await fixture.append('account', 'A', [purchase(1), purchase(2, poison), purchase(3), purchase(4)]);
    await fixture.passed(await fixture.append('account', 'B', [purchase(5, poison)]));
    const listed = await listParkedStreams(fixture.sql, 'live');
    const common = { environment: 'live', name: 'tally', generation: 1, type: 'CreditsPurchased' };
    expect(listed).toMatchObject([
      { ...common, stream: 'live.account-A', revision: 1, waiting: 2 },
      { ...common, stream: 'live.account-B', revision: 0, waiting: 0 },
    ]);
    expect(listed[0]!.error).toMatch(/cannot be folded\n/);
    expect(Math.abs(listed[0]!.since.getTime() - before)).toBeLessThan(60_000);
    expect(await listParkedStreams(fixture.sql, 'test')).toEqual([]);
  });

  it('are those of generations that serve, not of ones that were retired', async () => {
    fixture.start({ readModels: [tally()] });
    await fixture.passed(await fixture.append('account', 'A', [purchase(2, poison)]));
    await fixture.stopRunners();
    await fixture.rows(`update read_store.projections set state = 'retired'`);
    expect(await listParkedStreams(fixture.sql)).toEqual([]);
  });
});
