import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { storeWith } from '#event-store/event-store.js';
import { readModels } from '#projections/read-models.js';
import { settled } from '#projections/testing/stories.js';
import { CheckpointWatcher } from '#read-store/checkpoint-watcher.js';
import { Comparison, LiveGenerations } from '#capabilities/operate/rebuild/comparison.js';
import { HistoryFold } from '#capabilities/operate/rebuild/history-fold.js';
import { prepareBuilds } from '#capabilities/operate/rebuild/prepare-builds.js';
import { rebuild } from '#capabilities/operate/rebuild/rebuild.js';
import { RebuildSession } from '#capabilities/operate/rebuild/rebuild-session.js';
import { eventually, ReadStoreFixture, silent } from '#read-store/testing/read-store-fixture.js';
import { writeHistory } from './support/histories.js';

let fixture: ReadStoreFixture;

beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
});

afterEach(() => fixture.dispose());

const request = () => ({
  url: fixture.url,
  eventStore: fixture.store,
  environment: 'live' as const,
  readModels,
  signal: AbortSignal.timeout(100_000),
});

/** All rows of all read models as readers see them. */
async function rowsSeen(): Promise<Record<string, string[]>> {
  const seen: Record<string, string[]> = {};
  for (const { name } of readModels) {
    const rows = await fixture.rows<{ row: string }>(`select row::text from live.${name} row order by 1`);
    seen[name] = rows.map(({ row }) => row);
  }
  return seen;
}

const generations = () =>
  fixture.rows<{ name: string; generation: number; state: string }>(
    `select name, generation, state from read_store.projections where environment = 'live' and name in ('jobs', 'keys')
      order by name, generation`,
  );

describe('a rebuild', () => {
  it('gives the same rows, takes the place of the live generation and keeps that one', async () => {
    fixture.start({ readModels });
    await fixture.passed(await writeHistory(fixture, 24));
    const before = await rowsSeen();
    const { models, events } = await rebuild(request());
    const [logged] = await fixture.rows<{ count: string }>('select count(*) from event_store.events');
    expect(events).toBe(Number(logged?.count));
    expect(events).toBeGreaterThan(100);
    expect(models.map(({ switched }) => switched)).toEqual(readModels.map(() => true));
    for (const { compared, rows } of models)
      expect(compared).toMatchObject({ missing: 0, extra: 0, changed: 0, rows });
    expect(await rowsSeen()).toEqual(before);
    expect(await generations()).toEqual([
      { name: 'jobs', generation: 1, state: 'retired' },
      { name: 'jobs', generation: 2, state: 'live' },
      { name: 'keys', generation: 1, state: 'retired' },
      { name: 'keys', generation: 2, state: 'live' },
    ]);
    // The projector that ran all the time continues with the new generations.
    await fixture.passed(await writeHistory(fixture, 4, 24));
    expect((await rowsSeen())['jobs']).toHaveLength(28);
    const [old] = await fixture.rows<{ count: string }>('select count(*) from live.jobs_g1');
    expect(old).toEqual({ count: '24' });
  });

  it('keeps autovacuum away from tables for as long as they are filled', async () => {
    await writeHistory(fixture, 3);
    const kept = () =>
      fixture.rows<{ table: string }>(
        `select relname as table from pg_class where 'autovacuum_enabled=off' = any(reloptions) order by 1`,
      );
    {
      await using session = await RebuildSession.open(request());
      await prepareBuilds(session, 'rebuild', false);
    }
    const reasons = `select distinct state, halted_because from read_store.projections where state = 'building'`;
    expect(await fixture.rows(reasons)).toEqual([{ state: 'building', halted_because: null }]);
    expect((await kept()).map(({ table }) => table)).toEqual(
      readModels.map(({ name }) => `${name}_g2`).sort(),
    );
    await rebuild(request());
    expect(await kept()).toEqual([]);
  });

  it('switches where nothing has happened yet', async () => {
    fixture.start({ readModels });
    await eventually(async () => (await generations()).length === 2, 'the first generations');
    const { models } = await rebuild(request());
    expect(models.map(({ switched }) => switched)).toEqual(readModels.map(() => true));
  });

  it('takes a generation over with a higher epoch than any before, so that no old holder fits again', async () => {
    await writeHistory(fixture, 1);
    const epochs: bigint[] = [];
    for (let time = 0; time < 3; time++) {
      await using session = await RebuildSession.open(request());
      const { builds } = await prepareBuilds(session, 'rebuild', false);
      epochs.push(builds[0]!.active.checkpoint.epoch);
      // Moves the checkpoints as if something had been folded, so that the next session continues here.
      await fixture.rows(`update read_store.projections set position = 1 where state = 'building'`);
    }
    expect(epochs).toEqual(epochs.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(epochs).size).toBe(3);
  });

  it('begins anew only when what an earlier one left behind is gone', async () => {
    await writeHistory(fixture, 1);
    const tables = () =>
      fixture.rows(`select relname from pg_class where relname ~ '_g[0-9]+$' and relkind = 'r' order by 1`);
    const begin = async () => {
      await using session = await RebuildSession.open(request());
      await prepareBuilds(session, 'compare', false);
      return await tables();
    };
    const first = await begin();
    expect(await begin()).toEqual(first);
  });

  it('names the event that each checkpoint was made from, also where no projector has run', async () => {
    await writeHistory(fixture, 3);
    await rebuild(request());
    const last = await fixture.store.lastEvent();
    const checkpoints = await fixture.rows(
      `select distinct event_position, event_id from read_store.projections where state = 'live'`,
    );
    expect(checkpoints).toEqual([{ event_position: String(last?.position), event_id: last?.id }]);
  });

  it('refuses to go on with rows that were made from another log', async () => {
    await writeHistory(fixture, 3);
    await rebuild(request());
    await rebuild(request());
    await fixture.rows(
      `update read_store.projections set event_id = gen_random_uuid() where state = 'retired' and name = 'jobs'`,
    );
    await expect(rebuild(request(), 'rollback')).rejects.toThrow('made from event');
  });

  /**
   * Ends the projector and halts the ledger, while the history goes on. @returns the position of the last event
   */
  async function haltLedger(): Promise<bigint> {
    const projector = fixture.start({ readModels });
    await fixture.passed(await writeHistory(fixture, 8));
    await projector.end();
    await fixture.rows(
      `update read_store.projections set state = 'halted', halted_because = 'a test' where name = 'ledger'`,
    );
    return writeHistory(fixture, 4, 8);
  }

  it('takes what stands still to the end of the log, compared once, though others are taken over meanwhile', async () => {
    const head = await haltLedger();
    let looks = 0;
    const eventStore = storeWith(fixture.store, {
      head: async () => {
        const takeOver = `update read_store.projections set epoch = epoch + 1 where name = 'jobs' and state = 'live'`;
        if (++looks === 1) await fixture.rows(takeOver);
        return fixture.store.head();
      },
    });
    const { models } = await rebuild({ ...request(), eventStore });
    expect(looks).toBeGreaterThan(1);
    expect(models.find(({ name }) => name === 'ledger')).toMatchObject({
      switched: true,
      position: head,
      compared: { missing: 0, extra: 0, changed: 0 },
    });
  });

  it('that differs from what stands still is switched to only when that is asked for', async () => {
    await haltLedger();
    await fixture.rows(`update live.ledger set amount = 6 where id = 'request-3'`);
    await rebuild(request());
    const ledger = { ...request(), readModels: readModels.filter(({ name }) => name === 'ledger') };
    await expect(rebuild(ledger, 'switch')).rejects.toThrow('was found to differ from the live rows');
    const { models } = await rebuild({ ...ledger, acceptDifferences: true }, 'switch');
    expect(models).toMatchObject([{ name: 'ledger', switched: true }]);
  });

  it('compares what changed after it was compared once more', async () => {
    fixture.start({ readModels });
    await fixture.passed(await writeHistory(fixture, 4));
    await using session = await RebuildSession.open(request());
    const preparation = await prepareBuilds(session, 'compare', false);
    const fold = new HistoryFold(session, preparation);
    const live = new LiveGenerations(session, preparation.builds, fold);
    const comparison = new Comparison(session, live, fold);
    await fold.catchUp(await live.positions(live.comparable));
    await comparison.compareAll(live.comparable);
    await fixture.passed(await fixture.append('account', 'T1', [settled('request-3', 5)]));
    await fixture.rows(`update live.ledger set status = 'REFUNDED' where id = 'request-3'`);
    await comparison.compareChanged();
    expect(readModels.map(({ name }) => name).filter((name) => comparison.differs(name))).toEqual(['ledger']);
    expect(comparison.of('ledger')).toMatchObject({ rows: 6 + 1, changed: 1 });
    expect(comparison.changedRows).toBe(0);
  });

  it('is not noticed by statements that were prepared before, nor by those who wait for a position', async () => {
    fixture.start({ readModels });
    await fixture.passed(await writeHistory(fixture, 4));
    const client = new pg.Client({ connectionString: fixture.url });
    const watcher = new CheckpointWatcher({ url: fixture.url, log: silent });
    await client.connect();
    await watcher.start();
    try {
      const prepared = { name: 'all jobs', text: 'select * from live.jobs' };
      expect((await client.query(prepared)).rowCount).toBe(4);
      for (const [done, purpose] of (['rebuild', 'rollback', 'rebuild'] as const).entries()) {
        const before = watcher.current('live', 'jobs');
        await rebuild(request(), purpose);
        expect(watcher.current('live', 'jobs')).toBe(before);
        const head = await writeHistory(fixture, 1, 4 + done);
        expect(await watcher.waitFor('live', 'jobs', head, 2_000)).toBe(true);
        expect((await client.query(prepared)).rowCount).toBe(5 + done);
      }
    } finally {
      await watcher.stop();
      await client.end();
    }
  });

  it('says what to do while a long-running query keeps the views busy, and leaves the live rows', async () => {
    fixture.start({ readModels });
    await fixture.passed(await writeHistory(fixture, 1));
    const before = await rowsSeen();
    const reader = new pg.Client({ connectionString: fixture.url });
    await reader.connect();
    try {
      await reader.query('begin; select from live.jobs');
      await expect(rebuild(request())).rejects.toThrow(
        'live: a long-running query keeps the views busy: end it, then run "atelier projections switch"',
      );
    } finally {
      await reader.end();
    }
    expect(await rowsSeen()).toEqual(before);
    const { models } = await rebuild(request(), 'switch');
    expect(models.every(({ switched }) => switched)).toBe(true);
  });

  it('can be taken back: the old generation has caught up when it is shown again', async () => {
    fixture.start({ readModels });
    await fixture.passed(await writeHistory(fixture, 8));
    await rebuild(request());
    await fixture.passed(await writeHistory(fixture, 4, 8));
    const before = await rowsSeen();
    await rebuild(request(), 'rollback');
    expect(await rowsSeen()).toEqual(before);
    expect(await generations()).toMatchObject([
      { generation: 1, state: 'live' },
      { generation: 2, state: 'retired' },
      { generation: 1, state: 'live' },
      { generation: 2, state: 'retired' },
    ]);
    await fixture.passed(await writeHistory(fixture, 4, 12));
    await rebuild(request());
    expect(await generations()).toMatchObject([
      { name: 'jobs', generation: 1, state: 'retired' },
      { name: 'jobs', generation: 3, state: 'live' },
      { name: 'keys' },
      { name: 'keys' },
    ]);
  });
});
