import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { environments } from '#domain/streams.js';
import { type JobRow, jobsReadModel } from '#projections/jobs/jobs.read-model.js';
import { readModels } from '#projections/read-models.js';
import {
  artifact,
  at,
  debited,
  purchased,
  queued,
  renderStarted,
  stageCompleted,
  succeeded,
} from '#projections/testing/stories.js';
import type { ReadModel } from '#read-store/read-model.js';
import { createIndexes, addPrimaryKey, createTable } from '#read-store/entity-table.js';
import { rebuild } from '#capabilities/operate/rebuild/rebuild.js';
import { eventually, ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';
import { writeHistory } from './support/histories.js';

let fixture: ReadStoreFixture;

beforeEach(async () => {
  fixture = await ReadStoreFixture.create();
});

afterEach(() => fixture.dispose());

const request = (models: readonly ReadModel<object>[] = readModels) => ({
  url: fixture.url,
  eventStore: fixture.store,
  environment: 'live' as const,
  readModels: models,
  signal: AbortSignal.timeout(100_000),
});

describe('a generation that is made anew', () => {
  it.each(environments)(
    'has the columns, the key and the indexes of the first one in %s',
    async (environment) => {
      for (const model of readModels) {
        await fixture.rows(createTable(environment, model, 99));
        await fixture.rows(addPrimaryKey(environment, model, 99));
        for (const index of createIndexes(environment, model, 99)) await fixture.rows(index);
        const shape = async (generation: number) => ({
          columns: await fixture.rows(
            `select attname, format_type(atttypid, atttypmod) as type, attnotnull from pg_attribute
            where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
            [`${environment}.${model.name}_g${generation}`],
          ),
          indexes: (
            await fixture.rows<{ definition: string }>(
              `select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = $1::regclass`,
              [`${environment}.${model.name}_g${generation}`],
            )
          )
            .map(({ definition }) => definition.replaceAll('_g99', '').replaceAll('_g1', ''))
            .sort(),
        });
        expect(await shape(99)).toEqual(await shape(1));
      }
    },
  );
});

describe('events that cannot be folded', () => {
  const parked = (generation: number) =>
    fixture.rows(
      `select name, stream, revision, error is null as waits from read_store.parked_events
        where generation = $1 order by name, stream, revision`,
      [generation],
    );

  it('are parked by the new generation as they were by the live one, and the rest goes on', async () => {
    fixture.start({ readModels });
    await writeHistory(fixture, 30);
    await fixture.append('job', 'early', [renderStarted, queued('early', 'T0')]);
    // PostgreSQL refuses this row: its text type cannot hold a NUL.
    const unspeakable = { displayName: 'A\0sha', requestId: 'unspeakable', chargeId: 'unspeakable' };
    await fixture.append('account', 'T0', [debited('unspeakable', 5)]);
    await fixture.append('job', 'unspeakable', [queued('unspeakable', 'T0', unspeakable), renderStarted]);
    await fixture.append('account', 'T1', [purchased(7, 9, 'another\0pack')]);
    const head = await writeHistory(fixture, 30, 30);
    await fixture.passed(head);
    const { models } = await rebuild(request());
    for (const { compared, switched } of models) {
      expect(compared).toMatchObject({ missing: 0, extra: 0, changed: 0 });
      expect(switched).toBe(true);
    }
    const before = await parked(1);
    expect(before.length).toBeGreaterThan(6);
    expect(await parked(2)).toEqual(before);
    const counts = Object.fromEntries(models.map(({ name, parkedStreams }) => [name, parkedStreams]));
    expect(counts).toMatchObject({ jobs: 2, ledger: 1, keys: 0 });
    // The streams stay parked: the projector now works on the new generation and its parked streams.
    await fixture.passed(await fixture.append('job', 'early', [renderStarted]));
    expect(await parked(2)).toHaveLength(before.length + 1);
  });
});

describe('an erasure long after its job', () => {
  const erasedIn = (jobId: string) => ({
    type: 'JobErased' as const,
    data: {
      jobId,
      tenant: 'acme',
      erasureId: 'E',
      assetIds: [artifact('final').assetId],
      words: true,
      at: at(9),
    },
  });

  it('reaches the rows that the rebuild has written by then', async () => {
    fixture.start({ readModels });
    const life = (jobId: string) => [queued(jobId, 'acme'), renderStarted, stageCompleted, succeeded];
    await fixture.append('job', 'early', life('early'));
    await fixture.append('job', 'whole', [...life('whole'), erasedIn('whole')]);
    // More than a batch of the rebuild.
    const others = Array.from({ length: 4_200 }, (_, n) => purchased(1, 1, `pack-${n}`));
    for (let from = 0; from < others.length; from += 600)
      await fixture.append('account', 'T0', others.slice(from, from + 600));
    await fixture.append('job', 'late', life('late'));
    await fixture.append('job', 'late', [erasedIn('late')]);
    await fixture.passed(await fixture.append('job', 'early', [erasedIn('early')]));
    const { models } = await rebuild(request());
    for (const { name, compared } of models)
      expect({ name, ...compared }).toMatchObject({ name, missing: 0, extra: 0, changed: 0 });
    const words = await fixture.rows(`select from live.timeline where message like '%Posed%'`);
    expect(words).toEqual([]);
    expect(await fixture.rows('select from live.timeline')).toHaveLength(12);
  });
});

describe('a new version of a fold', () => {
  const shouting: ReadModel<JobRow> = {
    ...jobsReadModel,
    version: jobsReadModel.version + 1,
    evolve: (row, event, key) => {
      const after = jobsReadModel.evolve(row, event, key);
      return after && { ...after, displayName: after.displayName.toUpperCase() };
    },
  };
  const models = readModels.map((model) => (model.name === 'jobs' ? (shouting as ReadModel<object>) : model));

  it('stands still until it is rebuilt, which needs leave to differ; the running projector then takes it up', async () => {
    const old = fixture.start({ readModels });
    await fixture.passed(await writeHistory(fixture, 12));
    await old.end();
    const { runner } = fixture.start({ readModels: models });
    await eventually(() => runner.status.state === 'active', 'the new release');
    const head = await writeHistory(fixture, 4, 12);
    expect(runner.status.problems).toEqual([expect.stringContaining('jobs: its rows are of version')]);
    const refused = await rebuild(request([shouting]));
    expect(refused.models[0]).toMatchObject({
      switched: false,
      compared: { changed: 12, missing: 0, extra: 0 },
    });
    const { models: rebuilt } = await rebuild({
      ...request([shouting]),
      acceptDifferences: true,
    });
    // The comparison was made at the position of the old rows; the new rows are past it by now.
    expect(rebuilt[0]).toMatchObject({
      switched: true,
      position: head,
      liveVersion: jobsReadModel.version,
      version: jobsReadModel.version + 1,
      rows: 16,
    });
    await fixture.passed(await writeHistory(fixture, 4, 16));
    expect(runner.status.problems).toEqual([]);
    const names = await fixture.rows<{ name: string }>('select distinct display_name as name from live.jobs');
    expect(names).toEqual([{ name: 'ASHA' }]);
    expect(await fixture.rows('select from live.jobs')).toHaveLength(20);
  });
});
