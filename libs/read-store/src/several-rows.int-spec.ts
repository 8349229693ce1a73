import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReadModel } from './read-model.js';
import { purchase } from './testing/purchases.js';
import { ReadStoreFixture } from './testing/read-store-fixture.js';
import { createTallyTable, poison, TallyRow } from './testing/tally.js';

let fixture: ReadStoreFixture;

beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
  await createTallyTable(fixture.url);
});
afterEach(() => fixture.dispose());

/** The purchases by each word of their label: one event concerns as many rows as its label has words. */
const byWord: ReadModel<TallyRow> = {
  name: 'tally',
  version: 1,
  entity: TallyRow,
  categories: ['account'],
  keysOf: (event) =>
    event.type === 'CreditsPurchased'
      ? event.data.label
          .split(' ')
          .filter(Boolean)
          .map((word) => [word])
      : [],
  evolve: (row, event, [word]) => {
    if (event.type !== 'CreditsPurchased') throw new Error(event.type);
    if (word === poison) throw new Error('this word cannot be folded');
    const { amount, label, at } = event.data;
    if (amount === 0) return undefined;
    return {
      tenant: String(word),
      purchases: (row?.purchases ?? 0) + 1,
      credits: (row?.credits ?? 0) + amount,
      // No text of PostgreSQL can hold a NUL.
      lastLabel: word === 'nul' ? '\0' : label,
      amounts: [...(row?.amounts ?? []), amount],
      lastAt: new Date(at),
    };
  },
};

const amounts = async () => {
  const rows = await fixture.rows<{ tenant: string; amounts: number[] }>(
    'select tenant, amounts from live.tally order by tenant',
  );
  return Object.fromEntries(rows.map((row) => [row.tenant, row.amounts]));
};

describe('a read model in which one event concerns several rows', () => {
  it.each([1, 2, 100])('has the same rows when batches are of %i events', async (batchSize) => {
    await fixture.append('account', 'A', [purchase(1, 'red blue'), purchase(2, 'blue'), purchase(3, '')]);
    await fixture.append('account', 'B', [purchase(4, 'blue green'), purchase(5, 'red green blue')]);
    // Takes two rows away at once.
    const last = await fixture.append('account', 'A', [purchase(0, 'red green'), purchase(6, 'green')]);
    fixture.start({ readModels: [byWord], batchSize });
    await fixture.passed(last);
    expect(await amounts()).toEqual({ blue: [1, 2, 4, 5], green: [6] });
  });

  it('changes all rows of an event or none: one that cannot be folded parks the event', async () => {
    await fixture.append('account', 'A', [purchase(1, 'red blue')]);
    await fixture.append('account', 'A', [purchase(2, `red ${poison} blue`)]);
    await fixture.append('account', 'A', [purchase(3, 'red')]);
    const last = await fixture.append('account', 'B', [purchase(4, 'blue')]);
    fixture.start({ readModels: [byWord] });
    await fixture.passed(last);
    expect(await amounts()).toEqual({ red: [1], blue: [1, 4] });
    expect(await fixture.rows('select revision from read_store.parked_events order by 1')).toEqual([
      { revision: '1' },
      { revision: '2' },
    ]);
  });

  it('changes none of them either when it is PostgreSQL that refuses one', async () => {
    await fixture.append('account', 'A', [purchase(1, 'red blue'), purchase(2, 'red nul')]);
    const last = await fixture.append('account', 'B', [purchase(3, 'blue')]);
    fixture.start({ readModels: [byWord] });
    await fixture.passed(last);
    expect(await amounts()).toEqual({ red: [1], blue: [1, 3] });
  });
});
