import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import type { RecordedEvent } from '#event-store/event-store.js';
import { bigintTypes } from '#platform/postgres.js';
import { FencedOff, asConsumerError } from './consumer-errors.js';
import { CommitQueue } from './commit-queue.js';
import type { ActiveModel } from './model-fold.js';
import { takeOver } from './projection-checkpoints.js';
import { ProjectionSession } from './projection-session.js';
import { ProjectionTable } from './projection-table.js';
import { StreamContinuity } from './stream-continuity.js';
import { purchase } from './testing/purchases.js';
import { eventually, ReadStoreFixture, silent } from './testing/read-store-fixture.js';
import { createTallyTable, tally } from './testing/tally.js';

let fixture: ReadStoreFixture;

beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
  await createTallyTable(fixture.url);
});

afterEach(() => fixture.dispose());

const credits = () => fixture.rows<{ credits: number }>('select credits from live.tally order by tenant');

describe('of several projection runners', () => {
  it('one is active, and another takes over within moments when it stops', async () => {
    const runners = [1, 2, 3].map(() => fixture.start({ readModels: [tally()] }));
    await fixture.passed(await fixture.append('account', 'A', [purchase(1)]));
    const active = () => runners.filter(({ runner }) => runner.status.state === 'active');
    expect(active()).toHaveLength(1);
    const [first] = active();
    await first!.end();
    await eventually(() => active().length === 1, 'another to take over');
    expect(active()[0]).not.toBe(first);
    await fixture.passed(await fixture.append('account', 'A', [purchase(2)]));
    expect(await credits()).toEqual([{ credits: 3 }]);
  });

  it('one that loses its connection gives up and comes back, and nothing is folded twice', async () => {
    const runners = [1, 2].map(() => fixture.start({ readModels: [tally()] }));
    for (let i = 0; i < 5; i++) {
      await fixture.passed(await fixture.append('account', 'A', [purchase(1)]));
      await fixture.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name like 'atelier.projections.live%' and datname = current_database()`,
      );
    }
    await fixture.passed(await fixture.append('account', 'A', [purchase(1)]));
    expect(await credits()).toEqual([{ credits: 6 }]);
    await eventually(
      () => runners.filter(({ runner }) => runner.status.state === 'active').length === 1,
      'one',
    );
  });

  it('one that was paused and wakes up after a take-over leaves no trace, wherever the successor is', async () => {
    const paused = await own();
    const first = await fixture.append('account', 'A', [purchase(1)]);
    await paused.project(await fixture.store.readAll(), first);
    const successor = await own();
    const second = await fixture.append('account', 'A', [purchase(2)]);
    const events = await fixture.store.readAll({ after: first });
    const late = async () =>
      expect(await paused.project(events, second).catch(asConsumerError)).toBeInstanceOf(FencedOff);
    await late();
    expect(await credits()).toEqual([{ credits: 1 }]);
    expect(await fixture.positions()).toEqual({ tally: first });
    expect(await fixture.rows('select revision from read_store.stream_revisions')).toEqual([
      { revision: '0' },
    ]);

    await successor.project(events, second);
    await late();
    expect(await credits()).toEqual([{ credits: 3 }]);
    expect(await fixture.positions()).toEqual({ tally: second });
    await paused.client.end();
    await successor.client.end();
  });
});

/**
 * Does what a runner does when it becomes active, but without the lock: the runner before still believes it has
 * the lock.
 */
async function own() {
  const client = new pg.Client({ connectionString: fixture.url, pipeline: true, types: bigintTypes });
  await client.connect();
  const checkpoints = await takeOver(client, 'live', [tally()]);
  const actives: ActiveModel[] = checkpoints.map((checkpoint) => ({
    model: tally(),
    table: new ProjectionTable('live', tally(), checkpoint.generation),
    checkpoint,
    parkedStreams: new Set(),
  }));
  const session = new ProjectionSession({
    commits: new CommitQueue(client),
    loader: client,
    environment: 'live',
    actives,
    continuity: new StreamContinuity('projections'),
    log: silent,
  });
  const project = async (events: readonly RecordedEvent[], position: bigint) => {
    await session.submit(events, position, events.at(-1)!);
    await session.settle();
  };
  return { client, project };
}
