import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CheckpointWatcher } from './checkpoint-watcher.js';
import { purchase } from './testing/purchases.js';
import { eventually, ReadStoreFixture, silent } from './testing/read-store-fixture.js';
import { createTallyTable, tally } from './testing/tally.js';

let fixture: ReadStoreFixture;
let watcher: CheckpointWatcher;

beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
  await createTallyTable(fixture.url);
  watcher = new CheckpointWatcher({ url: fixture.url, log: silent, pollMs: 10_000 });
});

afterEach(async () => {
  await watcher.stop();
  await fixture.dispose();
});

const cutWatcher = () =>
  fixture.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'atelier-watcher' and datname = current_database()`,
  );

describe('the checkpoint watcher', () => {
  it('answers at once for what was passed before it started', async () => {
    fixture.start({ readModels: [tally()] });
    const position = await fixture.append('account', 'A', [purchase(1)]);
    await fixture.passed(position);
    await watcher.start();
    expect(watcher.current('live', 'tally')).toBe(position);
    expect(await watcher.waitFor('live', 'tally', position, 0)).toBe(true);
  });

  it('wakes all who wait for a position when the read model passes it, and the row is there', async () => {
    await watcher.start();
    fixture.start({ readModels: [tally()] });
    for (let i = 1; i <= 20; i++) {
      const position = await fixture.append('account', 'A', [purchase(1)]);
      const waits = [1, 2, 3].map(() => watcher.waitFor('live', 'tally', position, 60_000));
      expect(await Promise.all(waits)).toEqual([true, true, true]);
      expect(await fixture.rows('select purchases from live.tally')).toEqual([{ purchases: i }]);
    }
  });

  it('gives up at the deadline, and knows nothing of what has no read model', async () => {
    await watcher.start();
    const startedAt = performance.now();
    expect(await watcher.waitFor('live', 'tally', 1n, 100)).toBe(false);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(99);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(watcher.current('test', 'tally')).toBe(-1n);
  });

  it('does not take one environment for the other', async () => {
    await watcher.start();
    fixture.start({ readModels: [tally()] });
    const position = await fixture.append('account', 'A', [purchase(1)]);
    expect(await watcher.waitFor('live', 'tally', position, 60_000)).toBe(true);
    expect(await watcher.waitFor('test', 'tally', position, 50)).toBe(false);
  });

  it('listens again after it has lost its connection, and misses nothing that was passed meanwhile', async () => {
    await watcher.start();
    fixture.start({ readModels: [tally()] });
    for (let i = 0; i < 3; i++) {
      await cutWatcher();
      const position = await fixture.append('account', 'A', [purchase(1)]);
      expect(await watcher.waitFor('live', 'tally', position, 60_000)).toBe(true);
    }
  });

  it('polls where no announcement comes through', async () => {
    const polling = new CheckpointWatcher({ url: fixture.url, log: silent, pollMs: 20 });
    await polling.start();
    await fixture.rows(
      `insert into read_store.projections (environment, name, generation, version, state) values ('live', 'mute', 1, 1, 'live')`,
    );
    const wait = polling.waitFor('live', 'mute', 5n, 5_000);
    await fixture.rows(`update read_store.projections set position = 5 where name = 'mute'`);
    expect(await wait).toBe(true);
    await polling.stop();
  });

  it('steps back when the server has forgotten a position: it never promises too much', async () => {
    fixture.start({ readModels: [tally()] });
    const position = await fixture.append('account', 'A', [purchase(1)]);
    await fixture.passed(position);
    await watcher.start();
    await fixture.stopRunners();
    await fixture.rows(`update read_store.projections set position = ${position - 1n}`);
    await cutWatcher();
    await eventually(
      () => watcher.current('live', 'tally') === position - 1n,
      'the position to be read anew',
    );
  });

  it('that is stopped while it connects again leaves no connection behind', async () => {
    const lost = Promise.withResolvers<void>();
    let isBack = false;
    const told = {
      warn: (said: unknown) => typeof said === 'string' && lost.resolve(),
      info: () => (isBack = true),
    };
    const log = Object.assign(Object.create(silent) as typeof silent, told);
    const hasty = new CheckpointWatcher({ url: fixture.url, log, pollMs: 10_000 });
    await hasty.start();
    await cutWatcher();
    await lost.promise;
    await hasty.stop();
    expect(isBack).toBe(true);
    const connections = await fixture.rows(
      `select pid from pg_stat_activity where application_name = 'atelier-watcher' and datname = current_database()`,
    );
    expect(connections).toEqual([]);
  });

  it('tells those who wait no when it is stopped', async () => {
    await watcher.start();
    const wait = watcher.waitFor('live', 'tally', 1n, 60_000);
    await watcher.stop();
    expect(await wait).toBe(false);
    expect(await watcher.waitFor('live', 'tally', 1n, 60_000)).toBe(false);
  });
});
