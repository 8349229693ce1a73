import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RetryRefused } from './parked-retry.js';
import { retryParked } from './parked-retry.js';
import { listParkedStreams } from './parked-events.js';
import type { ReadModel } from './read-model.js';
import { purchase } from './testing/purchases.js';
import { eventually, ReadStoreFixture } from './testing/read-store-fixture.js';
import { differencesFromHistory } from './testing/rows-of-history.js';
import { createTallyTable, poison, tally, type TallyRow } from './testing/tally.js';

let fixture: ReadStoreFixture;

beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
  await createTallyTable(fixture.url);
});

afterEach(() => fixture.dispose());

/** The tally of a release in which the labels named here cannot be folded: none, when it is mended. */
function tallyThatChokesOn(...labels: string[]): ReadModel<TallyRow> {
  const model = tally();
  return {
    ...model,
    evolve: (row, event, key) => {
      if (event.type !== 'CreditsPurchased') return model.evolve(row, event, key);
      const { label } = event.data;
      if (labels.includes(label)) throw new Error(`this release cannot fold ${label}`);
      return model.evolve(row, { ...event, data: { ...event.data, label: `folded ${label}` } }, key);
    },
  };
}

const mended = tallyThatChokesOn();

const retry = (id = 'A', model = mended) =>
  retryParked({
    ...{ url: fixture.url, eventStore: fixture.store, environment: 'live', model },
    stream: `live.account-${id}`,
  });
const amounts = async () => {
  const rows = await fixture.rows<{ tenant: string; amounts: number[] }>(
    'select tenant, amounts from live.tally order by tenant',
  );
  return Object.fromEntries(rows.map((row) => [row.tenant, row.amounts]));
};

describe('parked streams', () => {
  it('are listed with what is wrong, since when, and what waits behind it', async () => {
    fixture.start({ readModels: [tallyThatChokesOn('x', 'y')] });
    const before = Date.now();
    await fixture.append('account', 'A', [purchase(1), purchase(2, 'x'), purchase(3), purchase(4)]);
    await fixture.passed(await fixture.append('account', 'B', [purchase(5, 'y')]));
    const listed = await listParkedStreams(fixture.url, { environment: 'live' });
    const common = { environment: 'live', name: 'tally', generation: 1, type: 'CreditsPurchased' };
    expect(listed).toMatchObject([
      { ...common, stream: 'live.account-A', revision: 1n, waiting: 2 },
      { ...common, stream: 'live.account-B', revision: 0n, waiting: 0 },
    ]);
    expect(listed[0]!.error).toMatch(/cannot fold x\n/);
    expect(Math.abs(listed[0]!.since.getTime() - before)).toBeLessThan(60_000);
    expect(await listParkedStreams(fixture.url, { stream: 'live.account-B' })).toHaveLength(1);
    expect(await listParkedStreams(fixture.url, { environment: 'test' })).toEqual([]);
    expect(await listParkedStreams(fixture.url, { name: 'other' })).toEqual([]);
  });

  it('are those of generations that serve, not of ones that were retired', async () => {
    fixture.start({ readModels: [tallyThatChokesOn('x')] });
    await fixture.passed(await fixture.append('account', 'A', [purchase(2, 'x')]));
    await fixture.stopRunners();
    await fixture.rows(`update read_store.projections set state = 'retired'`);
    expect(await listParkedStreams(fixture.url)).toEqual([]);
  });
});

describe('a retry', () => {
  it('folds the parked events in order, and the stream is followed again', async () => {
    fixture.start({ readModels: [tallyThatChokesOn('x')] });
    await fixture.append('account', 'A', [purchase(1), purchase(2, 'x'), purchase(3)]);
    await fixture.passed(await fixture.append('account', 'B', [purchase(7)]));
    expect(await retry()).toEqual({ applied: 2, parked: 0, failure: undefined });
    expect(await listParkedStreams(fixture.url)).toEqual([]);
    await fixture.passed(await fixture.append('account', 'A', [purchase(4)]));
    expect(await amounts()).toEqual({ A: [1, 2, 3, 4], B: [7] });
    expect(await retry()).toEqual({ applied: 0, parked: 0, failure: undefined });
  });

  it('works without a projector that runs', async () => {
    const { end } = fixture.start({ readModels: [tallyThatChokesOn('x')] });
    await fixture.passed(await fixture.append('account', 'A', [purchase(2, 'x')]));
    await end();
    await fixture.append('account', 'A', [purchase(3)]);
    expect(await retry()).toMatchObject({ applied: 1, parked: 0 });
    expect(await amounts()).toEqual({ A: [2] });
    fixture.start({ readModels: [mended] });
    await fixture.passed((await fixture.store.head())!);
    expect(await amounts()).toEqual({ A: [2, 3] });
  });

  it('goes as far as it can, and leaves the rest parked with the error of now', async () => {
    fixture.start({ readModels: [tallyThatChokesOn('x', 'y')] });
    const events = [purchase(1, 'x'), purchase(2), purchase(3, 'y'), purchase(4)];
    await fixture.passed(await fixture.append('account', 'A', events));
    const [parkedAt] = await fixture.rows<{ parked_at: Date }>(
      'select parked_at from read_store.parked_events where revision = 2',
    );
    await sleep(5);
    const outcome = await retry('A', tallyThatChokesOn('y'));
    expect(outcome).toMatchObject({ applied: 2, parked: 2, failure: { recorded: { revision: 2n } } });
    expect(outcome.failure?.error).toContain('cannot fold y');
    expect(await amounts()).toEqual({ A: [1, 2] });
    const [left] = await listParkedStreams(fixture.url);
    expect(left).toMatchObject({ revision: 2n, waiting: 1, since: parkedAt!.parked_at });
    expect(left!.error).toContain('cannot fold y');
    await fixture.passed(await fixture.append('account', 'A', [purchase(5)]));
    expect(await amounts()).toEqual({ A: [1, 2] });
    expect(await retry()).toMatchObject({ applied: 3, parked: 0 });
    expect(await amounts()).toEqual({ A: [1, 2, 3, 4, 5] });
  });

  it('changes nothing but the error where the first event fails again', async () => {
    fixture.start({ readModels: [tallyThatChokesOn('x')] });
    await fixture.passed(await fixture.append('account', 'A', [purchase(1, 'x'), purchase(2)]));
    const choking: ReadModel<TallyRow> = {
      ...tally(),
      evolve: () => {
        throw new Error('another complaint, with a \0 in it');
      },
    };
    expect(await retry('A', choking)).toMatchObject({ applied: 0, parked: 2 });
    expect(await listParkedStreams(fixture.url)).toMatchObject([
      { revision: 0n, waiting: 1, error: expect.stringContaining('another complaint, with a \\0') },
    ]);
    expect(await amounts()).toEqual({});
  });

  it('finds the event whose row PostgreSQL refuses, and folds those before it', async () => {
    fixture.start({ readModels: [tallyThatChokesOn(poison)] });
    const purchases = [
      purchase(1, poison),
      purchase(2),
      purchase(3),
      purchase(4, 'a\0b'),
      purchase(5, 'a\0b'),
    ];
    await fixture.passed(await fixture.append('account', 'A', [...purchases, purchase(6, 'a\0b')]));
    const outcome = await retry();
    expect(outcome).toMatchObject({ applied: 3, parked: 3, failure: { recorded: { revision: 3n } } });
    expect(outcome.failure?.error).toContain('0x00');
    expect(await amounts()).toEqual({ A: [1, 2, 3] });
    expect(await listParkedStreams(fixture.url)).toMatchObject([{ revision: 3n, waiting: 2 }]);
  });

  it('takes a row away when the parked events say so', async () => {
    fixture.start({ readModels: [tallyThatChokesOn('x')] });
    const at = new Date().toISOString();
    const events = [
      purchase(1),
      purchase(2, 'x'),
      { type: 'AccountSuspended', data: { reason: '', at } } as const,
    ];
    await fixture.passed(await fixture.append('account', 'A', events));
    expect(await retry()).toMatchObject({ applied: 2 });
    expect(await amounts()).toEqual({});
  });

  it('is refused for a model of another version, which has to be rebuilt', async () => {
    fixture.start({ readModels: [tallyThatChokesOn('x')] });
    await fixture.passed(await fixture.append('account', 'A', [purchase(1, 'x')]));
    const next = { ...mended, version: 2 };
    await expect(retry('A', next)).rejects.toThrow(RetryRefused);
    await expect(retry('A', next)).rejects.toThrow(/version 1, the code folds 2: rebuild/);
    expect(await listParkedStreams(fixture.url)).toHaveLength(1);
  });

  it('of one stream at a time, where two are asked for together, loses and doubles nothing', async () => {
    fixture.start({ readModels: [tallyThatChokesOn('x')] });
    await fixture.append('account', 'A', [purchase(1, 'x'), purchase(2)]);
    await fixture.passed(await fixture.append('account', 'B', [purchase(3, 'x')]));
    const outcomes = await Promise.allSettled([retry('A'), retry('A'), retry('B')]);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).toBeInstanceOf(RetryRefused);
    await retry('A');
    await retry('B');
    await fixture.passed(await fixture.append('account', 'A', [purchase(4)]));
    expect(await amounts()).toEqual({ A: [1, 2, 4], B: [3] });
  });
});

describe('a retry beside a projector that runs, while events come in', () => {
  it('neither loses nor doubles an event, in 24 rounds', async () => {
    const broken = { now: false };
    const model: ReadModel<TallyRow> = {
      ...mended,
      evolve: (row, event, key) => {
        if (broken.now && event.type === 'CreditsPurchased' && event.data.label === 'x') throw new Error('x');
        return mended.evolve(row, event, key);
      },
    };
    fixture.start({ readModels: [model] });
    const streams = ['A', 'B', 'C'];
    let flowing = true;
    const flow = streams.map(async (id) => {
      for (; flowing; await sleep(5)) await fixture.append('account', id, [purchase(1), purchase(2)]);
    });
    let applied = 0;
    for (let round = 0; round < 24; round++) {
      const id = streams[round % streams.length]!;
      broken.now = true;
      await fixture.append('account', id, [purchase(4, 'x')]);
      await eventually(async () => (await listParkedStreams(fixture.url)).length > 0, 'it to be parked');
      broken.now = false;
      const outcome = await retry(id);
      expect(outcome.failure).toBeUndefined();
      applied += outcome.applied;
      expect(await listParkedStreams(fixture.url)).toEqual([]);
    }
    flowing = false;
    await Promise.all(flow);
    await fixture.passed((await fixture.store.head())!);
    expect(applied).toBeGreaterThan(24);
    expect(await differencesFromHistory(fixture.sql, fixture.store, mended)).toEqual([]);
  });
});
