import { beforeAll, describe, expect, it } from 'vitest';
import type { DomainEvent, EventOfType } from '#domain/events.js';
import type { EngineOutcome } from '#domain/job/job.events.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import { AssetRow } from './assets/assets.read-model.js';
import { CallRow } from './calls/calls.read-model.js';
import { DataSubjectsReader, KeysReader, PresetsReader, TimelineReader } from './readers.js';
import { startReadSide, type ReadSide } from './testing/read-side.js';
import {
  artifact,
  at,
  failed,
  queued,
  renderStarted,
  stageCompleted,
  stored,
  succeeded,
  voided,
} from './testing/stories.js';

/* Read models with a few rows of their own: one history tells of all of them. */

const issued = (keyId: string, tenant: string, second: number): EventOfType<'ApiKeyIssued'> => ({
  type: 'ApiKeyIssued',
  data: {
    keyId,
    tenant,
    environment: 'live',
    capabilities: ['jobs:create', 'jobs:read'],
    label: 'shop',
    secretHash: 'ef'.repeat(32),
    at: at(second),
  },
});

function published(
  presetId: string,
  kind: PresetKind,
  label: string,
  second = 1,
): EventOfType<'PresetPublished'> {
  const image = { contentType: 'image/jpeg', width: 4, height: 6, sha256: 'ab' };
  return {
    type: 'PresetPublished',
    data: {
      presetId,
      kind,
      label,
      spec: { secret_recipe: true },
      at: at(second),
      image: { ...image, storageKey: `presets/${presetId}/ab.jpg` },
    },
  };
}
const retired: EventOfType<'PresetRetired'> = { type: 'PresetRetired', data: { reason: '', at: at(5) } };

const called = (model: string, call = 's.1'): DomainEvent => ({
  type: 'EngineCalled',
  data: {
    call,
    step: 's',
    model,
    vendor: 'fal',
    attempt: 1,
    idempotencyKey: 'k',
    tenant: 'acme',
    operation: 'look',
    at: at(call === 's.1' ? 3 : 5),
  },
});
const submitted: DomainEvent = {
  type: 'EngineSubmitted',
  data: { call: 's.1', vendorRequestId: 'req-1', at: at(4) },
};
const answered = (price: number, outcome: EngineOutcome = 'answered'): DomainEvent => ({
  type: 'EngineAnswered',
  data: {
    call: 's.1',
    outcome,
    vendorRequestId: null,
    latencyMs: 1_200,
    units: price > 0 ? 1 : 0,
    price,
    currency: 'USD',
    at: at(6),
  },
});

let side: ReadSide;

beforeAll(async () => {
  side = await startReadSide(async (fixture) => {
    await fixture.append('key', 'K1', [issued('K1', 'acme', 1)]);
    await fixture.append('key', 'K2', [
      issued('K2', 'acme', 2),
      { type: 'ApiKeyRevoked', data: { reason: 'leaked', at: at(9) } },
    ]);
    await fixture.append('key', 'K3', [
      issued('K3', 'acme', 3),
      { type: 'ApiKeyRetired', data: { retiresAt: at(30), successorKeyId: 'K4', at: at(9) } },
    ]);
    await fixture.append('key', 'X1', [issued('X1', 'rival', 3)]);

    await fixture.append('preset', 'P1', [published('P1', 'model', 'Zora')]);
    await fixture.append('preset', 'P2', [published('P2', 'model', 'Ada')]);
    await fixture.append('preset', 'P3', [published('P3', 'model', 'Ida'), retired]);
    await fixture.append('preset', 'P4', [
      published('P4', 'shot', 'Close'),
      retired,
      published('P4', 'shot', 'Closer', 9),
    ]);

    await fixture.append('asset', 'A1', [stored('A1')], { tenant: 'acme' });

    const dataSubjects = ['Anna'];
    await fixture.append('asset', 'A2', [stored('A2', { dataSubjects })], { tenant: 'acme' });
    await fixture.append('asset', 'A3', [stored('A3', { dataSubjects, tenant: 'rival' })], {
      tenant: 'rival',
    });
    const shown = { assetId: 'A2', storageKey: 'k', sha256: 'ab', role: 'primary', dataSubjects } as const;
    const facts = { title: 'T', externalRef: null, description: null, garmentCategoryId: null };
    const product = { ...facts, productId: 'G1', tenant: 'acme', images: [shown], at: at(1) };
    await fixture.append('product', 'G1', [{ type: 'ProductRegistered', data: product }], { tenant: 'acme' });
    for (const [jobId, names] of [
      ['S1', ['Anna']],
      ['S2', ['Ben', 'Anna']],
      ['S3', ['Annabel']],
    ] as const) {
      const about = { dataSubjects: [...names] };
      await fixture.append('job', jobId, [queued(jobId, 'acme', about)], { tenant: 'acme' });
    }

    const job = (id: string, ...events: DomainEvent[]) =>
      fixture.append('job', id, [queued(id, 'acme'), ...events], { tenant: 'acme' });
    await job('J1', renderStarted, stageCompleted, succeeded);
    await job('J2', called('gpt'), submitted, answered(0.04), succeeded);
    await job('J3', called('gpt'), answered(0, 'capacity'), called('fal', 's.2'));
    await job('J4', failed);
    await fixture.append('job', 'V', [voided], { tenant: 'acme' });
  });
  return side.dispose;
});

describe('the keys reader', () => {
  it("lists a tenant's own keys, newest first, those that retire or are revoked included", async () => {
    const common = { tenant: 'acme', capabilities: ['jobs:create', 'jobs:read'], label: 'shop' };
    expect(await new KeysReader(side.dataSource).list('acme')).toEqual([
      { ...common, keyId: 'K3', issuedAt: new Date(at(3)), revokedAt: null, retiresAt: new Date(at(30)) },
      { ...common, keyId: 'K2', issuedAt: new Date(at(2)), revokedAt: new Date(at(9)), retiresAt: null },
      { ...common, keyId: 'K1', issuedAt: new Date(at(1)), revokedAt: null, retiresAt: null },
    ]);
  });

  it('never holds the hash of a secret', async () => {
    const rows = await side.fixture.rows('select * from live.keys');
    expect(JSON.stringify(rows)).not.toContain('efef');
  });
});

describe('the reader of data subjects', () => {
  const things = (
    tenant: string,
    name: string,
    kind: 'uploads' | 'products' | 'jobs',
    after?: string,
    limit = 9,
  ) => new DataSubjectsReader(side.dataSource).things(tenant, name, { kind, after, limit });

  it("finds a tenant's uploads, products and jobs of a person, page by page", async () => {
    expect(await things('acme', 'Anna', 'uploads')).toEqual(['A2']);
    expect(await things('acme', 'Anna', 'products')).toEqual(['G1']);
    expect(await things('acme', 'Anna', 'jobs')).toEqual(['S1', 'S2']);
    expect(await things('acme', 'Anna', 'jobs', undefined, 1)).toEqual(['S1']);
    expect(await things('acme', 'Anna', 'jobs', 'S1', 1)).toEqual(['S2']);
  });

  it('finds nothing of a person with a similar name, or of another tenant', async () => {
    expect(await things('acme', 'Ann', 'jobs')).toEqual([]);
    expect(await things('rival', 'Anna', 'jobs')).toEqual([]);
    expect(await things('rival', 'Anna', 'uploads')).toEqual(['A3']);
  });

  it.each(['assets', 'products', 'jobs'])(
    'has an index of the %s, over the rows with a person',
    async (model) => {
      const indexes = await side.fixture.rows(
        "select indexdef from pg_indexes where schemaname = 'live' and indexname like $1",
        [`${model}_by_data_subject%`],
      );
      const indexdef = expect.stringMatching(
        /using gin \(data_subjects\) where \(data_subjects is not null\)/i,
      );
      expect(indexes).toEqual([{ indexdef }]);
    },
  );
});

describe('the presets reader', () => {
  const presets = () => new PresetsReader(side.dataSource);

  it('shows the published ones of a kind, in the order of their ids', async () => {
    expect((await presets().published('model')).map(({ label }) => label)).toEqual(['Zora', 'Ada']);
    expect(await presets().published('background')).toEqual([]);
  });

  it('shows one that was published anew as it is now', async () => {
    expect(await presets().published('shot')).toEqual([
      {
        presetId: 'P4',
        kind: 'shot',
        label: 'Closer',
        storageKey: 'presets/P4/ab.jpg',
        publishedAt: new Date(at(9)),
        retiredAt: null,
      },
    ]);
  });

  it('shows retired ones to the operator', async () => {
    const all = (await presets().all()).map(({ presetId, retiredAt }) => [presetId, retiredAt]);
    expect(all).toEqual([
      ['P1', null],
      ['P2', null],
      ['P3', new Date(at(5))],
      ['P4', null],
    ]);
  });

  it('never holds a recipe', async () => {
    expect(JSON.stringify(await side.fixture.rows('select * from live.presets'))).not.toContain('recipe');
  });
});

describe('the timeline reader', () => {
  const timeline = () => new TimelineReader(side.dataSource);

  it('gives the public events in ascending order', async () => {
    const events = await timeline().publicEvents('acme', 'J1');
    expect(events.map(({ seq, eventType }) => [seq, eventType])).toEqual([
      [1, 'queued'],
      [3, 'stage'],
      [4, 'succeeded'],
    ]);
    expect(events[1]).toEqual({
      jobId: 'J1',
      seq: 3,
      tenant: 'acme',
      eventType: 'stage',
      visibility: 'public',
      stage: 'pose',
      message: 'Posed.',
      artifacts: [artifact('intermediate', 'Pose')],
      extra: {},
      createdAt: new Date(at(3)),
    });
  });

  it('gives what comes after the cursor', async () => {
    const seqs = async (since: number) =>
      (await timeline().publicEvents('acme', 'J1', since)).map(({ seq }) => seq);
    expect(await seqs(1)).toEqual([3, 4]);
    expect(await seqs(2)).toEqual([3, 4]);
    expect(await seqs(4)).toEqual([]);
  });

  it('keeps internal events for operators', async () => {
    const rows = await side.fixture.rows(
      `select seq, event_type from live.timeline where visibility = 'internal'`,
    );
    expect(rows).toEqual([{ seq: 2, event_type: 'started' }]);
  });

  it("gives nothing of another tenant's job, of an unknown one or of a fence", async () => {
    expect(await timeline().publicEvents('rival', 'J1')).toEqual([]);
    expect(await timeline().publicEvents('acme', 'unknown')).toEqual([]);
    expect(await timeline().publicEvents('acme', 'V')).toEqual([]);
  });
});

it('the calls of vendors stand with what they were, how they ended and what they cost', async () => {
  const rows = await side.dataSource.getRepository(CallRow).find({ order: { jobId: 'ASC', call: 'ASC' } });
  expect(rows).toHaveLength(3);
  expect(rows[0]).toEqual({
    jobId: 'J2',
    call: 's.1',
    tenant: 'acme',
    operation: 'look',
    model: 'gpt',
    vendor: 'fal',
    attempt: 1,
    vendorRequestId: 'req-1',
    outcome: 'answered',
    latencyMs: 1_200,
    units: 1,
    priceMicros: 40_000,
    kept: 0,
    currency: 'USD',
    calledAt: new Date(at(3)),
    answeredAt: new Date(at(6)),
  });
  expect(rows[1]).toMatchObject({ jobId: 'J3', outcome: 'capacity', priceMicros: 0 });
  expect(rows[2]).toMatchObject({ jobId: 'J3', model: 'fal', outcome: null, priceMicros: null });
});

it('each stored picture has a row', async () => {
  const { at: storedAt, ...data } = stored('A1').data;
  const rows = await side.dataSource.getRepository(AssetRow).find();
  expect(rows).toContainEqual({
    ...data,
    dataSubjects: null,
    retainDays: null,
    createdAt: new Date(storedAt),
    erasedAt: null,
  });
});
