import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { purchase } from '#read-store/testing/purchases.js';
import { eventually, ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';
import { createTallyTable, tally } from '#read-store/testing/tally.js';
import { ReachedReads } from './reached-reads.js';

let fixture: ReadStoreFixture;

beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
  await createTallyTable(fixture.url);
});
afterEach(() => fixture.dispose());

const areShown = (withinMs = 0, position?: bigint) =>
  new ReachedReads(fixture.store, fixture.sql).areShown('live', ['tally'], withinMs, position);

/** A projector folds three purchases and ends. Then the log loses the last two. */
async function restored(): Promise<bigint> {
  const kept = await fixture.append('account', 'A', [purchase(1)]);
  const { end } = fixture.start({ readModels: [tally()] });
  await fixture.passed(await fixture.append('account', 'B', [purchase(2), purchase(3)]));
  await end();
  expect(await areShown()).toBe(true);
  await fixture.restoreLog(kept);
  return kept;
}

describe('read models', () => {
  it('show the log once they have folded its last event', async () => {
    await fixture.append('account', 'A', [purchase(1)]);
    expect(await areShown()).toBe(false);
    fixture.start({ readModels: [tally()] });
    expect(await areShown(60_000)).toBe(true);
  });

  it('never show a log that was restored from before them, not even its first events', async () => {
    const kept = await restored();
    expect(await areShown()).toBe(false);
    expect(await areShown(0, kept)).toBe(false);
  });

  it('do not show a log that has grown past them since, nor one that has their last event again', async () => {
    await restored();
    fixture.start({ readModels: [tally()] });
    const isHalted = async () =>
      (await fixture.rows(`select from read_store.projections where state = 'halted'`)).length === 1;
    await eventually(isHalted, 'the halt');
    await fixture.append('account', 'B', [purchase(4), purchase(5)]);
    expect(await areShown()).toBe(false);
    await fixture.rows(
      `update read_store.projections set event_id = (select id from event_store.events where position = event_position)`,
    );
    expect(await areShown()).toBe(false);
  });
});
