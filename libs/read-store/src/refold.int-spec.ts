import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DomainEvent } from '#domain/events.js';
import { storeWith, type EventStore } from '#event-store/event-store.js';
import { readModels } from '#projections/read-models.js';
import { queued } from '#projections/testing/stories.js';
import { migrateReadStore } from './migrate.js';
import { ReadStoreFixture } from './testing/read-store-fixture.js';
import { busyStory } from '../../../test/audit/support/story.js';

/*
 * Releases side by side: an older one, which knows neither marks nor the newest column, folds for a while, and
 * then this one comes back.
 */

const environment = 'live';
const { appends } = busyStory(environment);
// Where the charge of one job was made, and not closed.
const middle = appends.findIndex(({ event }) => event.type === 'JobCancelled');

let fixture: ReadStoreFixture;
beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
});
afterEach(() => fixture.dispose());

const columns = ['folded_to', 'event_position', 'event_id'];

async function append(part: typeof appends): Promise<void> {
  for (const { stream, event } of part) await fixture.store.append(stream, 'any', [event]);
}

/** A projector folds to the end of the log, and ends. */
async function project(eventStore: EventStore = fixture.store): Promise<void> {
  const projector = fixture.start({ readModels, environment, eventStore });
  await fixture.passed((await fixture.store.head()) ?? 0n);
  await inStep();
  await projector.end();
}

/** All rows are this release's. */
async function inStep(): Promise<void> {
  const behind = `select name from read_store.projections, lateral (select count(*) as own
      from jsonb_each_text(folded_to) where value = position::text) marks where own = 0 and position is not null`;
  await expect.poll(() => fixture.rows(behind), { timeout: 60_000 }).toEqual([]);
}

async function allRows(): Promise<Record<string, unknown>> {
  const tables = readModels.map(async ({ name }) => {
    const rows = await fixture.rows<{ row: string }>(
      `select to_jsonb(model)::text as row from ${environment}.${name} as model order by 1`,
    );
    return [name, rows.map(({ row }) => row)] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}

/**
 * Another release folds the new events. It does not move marks and anchors, and its rows lack what it does not
 * know.
 */
async function projectElsewhere(spoil: readonly string[]): Promise<void> {
  await fixture.rows(`create table kept as select name, ${columns.join(', ')} from read_store.projections`);
  await project();
  await fixture.rows(
    `update read_store.projections p set ${columns.map((each) => `${each} = kept.${each}`).join(', ')}
      from kept where kept.name = p.name`,
  );
  await fixture.rows('drop table kept');
  for (const statement of spoil) await fixture.rows(statement);
}

describe('rows that another release has folded', () => {
  it('are folded again by the projector that takes over, and no others are', async () => {
    await append(appends.slice(0, middle));
    await project();
    await append(appends.slice(middle));
    await projectElsewhere([]);
    const right = await allRows();
    await projectElsewhere([
      `update live.jobs set image_model = 'lost' where public_id in ('job4-live', 'job5-live', 'job1-live')`,
      `update live.usage set endpoint = 'lost' where job_id in ('job4-live', 'job5-live', 'job1-live')`,
      `update live.ledger set label = 'lost' where job_id in ('job4-live', 'job5-live', 'job1-live')`,
      `update live.timeline set message = 'lost' where job_id in ('job5-live', 'job1-live')`,
      `delete from live.calls`,
    ]);
    expect(await allRows()).not.toEqual(right);
    await project();
    // Rows without events since then are unchanged.
    const spoilt = JSON.stringify(await allRows()).match(/lost/g) ?? [];
    expect(spoilt.length).toBeGreaterThan(0);
    for (const [table, column] of [
      ['jobs', 'image_model'],
      ['usage', 'endpoint'],
      ['ledger', 'label'],
    ] as const) {
      const lost = await fixture.rows(`select * from live.${table} where ${column} = 'lost'`);
      expect({ table, lost: lost.length }).toEqual({ table, lost: 1 });
    }
    const mended = await allRows();
    for (const name of ['calls', 'catalog', 'keys', 'assets', 'presets', 'products', 'renders'])
      expect({ name, rows: mended[name] }).toEqual({ name, rows: right[name] });
  });

  it('are folded again from all pages of their streams', async () => {
    await append(appends.slice(0, middle));
    await project();
    await append(appends.slice(middle));
    await projectElsewhere([]);
    const right = await allRows();
    const { store } = fixture;
    const inPages = storeWith(store, {
      readStream: (stream, options) => store.readStream(stream, { ...options, limit: 2 }),
    });
    await project(inPages);
    expect(await allRows()).toEqual(right);
  });

  it('are parked where this release cannot fold them', async () => {
    await append(appends);
    await project();
    const data = { message: '', artifacts: [null], at: '2026-06-01T12:00:00.000Z' };
    const broken = { type: 'JobSucceeded', data } as unknown as DomainEvent;
    await fixture.append('job', 'broken', [queued('broken', 'acme'), broken], { tenant: 'acme' });
    await projectElsewhere(['delete from read_store.parked_events']);
    await project();
    const parked = await fixture.rows('select name, stream, event_type from read_store.parked_events');
    const place = { stream: 'live.job-broken', event_type: 'JobSucceeded' };
    expect(parked).toContainEqual({ name: 'renders', ...place });
  });

  it('are all folded again where the table has got a column', async () => {
    await append(appends);
    await project();
    const right = await allRows();
    await fixture.rows(`drop view live.jobs`);
    await fixture.rows(`alter table live.jobs_g1 drop column image_model`);
    await fixture.rows(`create view live.jobs as select * from live.jobs_g1`);
    await fixture.rows(`update read_store.projections set folded_to = '{}'`);
    await migrateReadStore(fixture.url, readModels);
    const unmarked = `select name from read_store.projections where environment = 'live' and folded_to = '{}'`;
    expect(await fixture.rows(unmarked)).toEqual([{ name: 'jobs' }]);
    await fixture.rows(`update live.jobs set display_name = 'lost'`);
    await project();
    expect(await allRows()).toEqual(right);
  });
});
