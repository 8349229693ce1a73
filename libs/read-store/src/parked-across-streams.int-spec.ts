import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeWith, type EventStore } from '#event-store/event-store.js';
import { retryParked } from './parked-retry.js';
import { listParkedStreams } from './parked-events.js';
import type { ReadModel } from './read-model.js';
import { purchase } from './testing/purchases.js';
import { ReadStoreFixture } from './testing/read-store-fixture.js';
import { differencesFromHistory } from './testing/rows-of-history.js';
import { createTallyTable, tally, type TallyRow } from './testing/tally.js';

let fixture: ReadStoreFixture;

beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
  await createTallyTable(fixture.url);
});

afterEach(() => fixture.dispose());

/** Amounts by label, of all accounts; `a+b` concerns two rows. The order of the amounts is that of the log, or wrong. */
function byLabel(...unfoldable: number[]): ReadModel<TallyRow> {
  const { name, version, entity, categories } = tally();
  return {
    ...{ name, version, entity, categories, keysSpanStreams: true },
    keysOf: (event) =>
      event.type === 'CreditsPurchased' ? event.data.label.split('+').map((label) => [label]) : [],
    evolve: (row, event, [label]) => {
      if (event.type !== 'CreditsPurchased') throw new Error(event.type);
      const { amount } = event.data;
      if (unfoldable.includes(amount)) throw new Error(`${amount} cannot be folded`);
      const { credits, amounts } = row ?? { credits: 0, amounts: [] };
      return {
        ...{
          tenant: String(label),
          purchases: amounts.length + 1,
          lastLabel: event.data.label,
          lastAt: null,
        },
        ...{ credits: credits + amount, amounts: [...amounts, amount] },
      };
    },
  };
}

const buy = (tenant: string, amount: number, labels: string) =>
  fixture.append('account', tenant, [purchase(amount, labels)]);
const retry = (tenant: string, eventStore: EventStore = fixture.store, model = byLabel()) =>
  retryParked({
    ...{ url: fixture.url, eventStore, environment: 'live', model },
    stream: `live.account-${tenant}`,
  });
const rows = async () => {
  const found = await fixture.rows<{ tenant: string; amounts: number[] }>(
    'select tenant, amounts from live.tally order by tenant',
  );
  return Object.fromEntries(found.map((row) => [row.tenant, row.amounts]));
};

/** The store, but when the log is read from its beginning, something happens in the middle of it. */
function storeWhile(happens: () => Promise<void>): EventStore {
  let happened = false;
  const readAll: EventStore['readAll'] = async (options) => {
    const page = await fixture.store.readAll(options);
    if (!happened) {
      happened = true;
      await happens();
    }
    return page;
  };
  return storeWith(fixture.store, { readAll });
}

describe('a retry of a stream that shares rows with others', () => {
  it('puts its events where they belong between those of the others, those of the meantime too', async () => {
    fixture.start({ readModels: [byLabel(666)] });
    await buy('A', 1, 'a');
    await buy('B', 2, 'b');
    await buy('B', 3, 'a+b');
    await buy('A', 666, 'a');
    await buy('A', 4, 'a+c');
    await fixture.passed(await buy('B', 5, 'a'));
    expect(await rows()).toEqual({ a: [1, 3, 5], b: [2, 3] });

    const outcome = await retry(
      'A',
      storeWhile(async () => {
        await buy('A', 6, 'b');
        await buy('B', 7, 'b');
        await buy('B', 8, 'a+b');
        await fixture.passed(await buy('A', 9, 'd+b'));
      }),
    );
    expect(outcome).toEqual({ applied: 4, parked: 0, failure: undefined });
    expect(await rows()).toEqual({
      ...{ a: [1, 3, 666, 4, 5, 8], b: [2, 3, 6, 7, 8, 9], c: [4], d: [9] },
    });
    await fixture.passed(await buy('A', 10, 'd'));
    expect(await differencesFromHistory(fixture.sql, fixture.store, byLabel())).toEqual([]);
  });

  it('leaves what another stream has parked to the retry of that one', async () => {
    fixture.start({ readModels: [byLabel(666)] });
    for (const tenant of ['C', 'A']) {
      await buy(tenant, 1, 'a');
      await buy(tenant, 666, 'a');
      await buy(tenant, 2, 'a');
    }
    await fixture.passed(await buy('B', 3, 'a'));
    await retry('A');
    expect(await rows()).toEqual({ a: [1, 1, 666, 2, 3] });
    expect((await listParkedStreams(fixture.url)).map(({ stream }) => stream)).toEqual(['live.account-C']);
    await retry('C');
    expect(await rows()).toEqual({ a: [1, 666, 2, 1, 666, 2, 3] });
  });

  it('goes as far as it can, and the rows are those of the others and of what it could fold', async () => {
    fixture.start({ readModels: [byLabel(666, 667)] });
    await buy('A', 666, 'a');
    await buy('A', 2, 'a');
    await buy('A', 667, 'a');
    await buy('A', 3, 'a+b');
    await fixture.passed(await buy('B', 4, 'a+b'));
    expect(await retry('A', fixture.store, byLabel(667))).toMatchObject({ applied: 2, parked: 2 });
    expect(await rows()).toEqual({ a: [666, 2, 4], b: [4] });
    expect(await retry('A')).toMatchObject({ applied: 2, parked: 0 });
    expect(await rows()).toEqual({ a: [666, 2, 667, 3, 4], b: [3, 4] });
  });
});
