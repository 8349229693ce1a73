import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobArtifact } from '#domain/job/job.events.js';
import type { EventOfType } from '#domain/events.js';
import { startReadSide, type ReadSide } from '../testing/read-side.js';
import { artifact, at, failed, queued, renderStarted, succeeded } from '../testing/stories.js';
import { CatalogReader } from '../readers.js';

let side: ReadSide;
let catalog: CatalogReader;

const made = (assetId: string, kind: string, meta = {}): JobArtifact => ({
  ...artifact('final', assetId),
  assetId,
  kind,
  meta,
});

function success(second: number, ...artifacts: JobArtifact[]): EventOfType<'JobSucceeded'> {
  return { ...succeeded, data: { ...succeeded.data, artifacts, at: at(second) } };
}

const pictureStored = (assetId: string): EventOfType<'AssetStored'> => ({
  type: 'AssetStored',
  data: {
    assetId,
    tenant: 'acme',
    storageKey: `renders/${assetId}.png`,
    contentType: 'image/png',
    width: 1,
    height: 1,
    sizeBytes: 1,
    sha256: '00',
    origin: 'render',
    jobId: 'J7',
    at: at(7),
  },
});
const retired = (assetId: string): EventOfType<'CatalogEntryRetired'> => ({
  type: 'CatalogEntryRetired',
  data: { assetId, tenant: 'acme', reason: 'dated', at: at(8) },
});

async function job(id: string, tenant: string, end: Parameters<typeof side.fixture.append>[2][number]) {
  await side.fixture.append('job', id, [queued(id, tenant), renderStarted, end], { tenant });
}

beforeAll(async () => {
  side = await startReadSide();
  catalog = new CatalogReader(side.dataSource);
  const { fixture } = side;
  const person = made('A2', 'person');
  await job('J1', 'acme', success(1, made('A1', 'model_portrait', { gender: 'FEMALE' }), made('R1', 'look')));
  await job(
    'J2',
    'acme',
    success(2, person, made('B2', 'background_plate'), made('G2', 'extracted_garment')),
  );
  await job('X1', 'rival', success(3, made('A3', 'person')));
  await job('J4', 'acme', failed);
  // The parent of a batch shows the person of its child again.
  await job('J5', 'acme', success(5, { ...person, label: 'Again' }, made('S5', 'photography_recipe')));
  await fixture.append('job', 'J6', [
    queued('J6', 'acme'),
    renderStarted,
    {
      type: 'StageCompleted',
      data: { stage: 's', message: '', artifacts: [made('A6', 'person')], at: at(6) },
    },
  ]);
  // The operator retires an entry, and the parent of a batch shows it again.
  await job('J7', 'acme', success(7, made('A7', 'person')));
  await fixture.append('asset', 'A7', [pictureStored('A7'), retired('A7')], { tenant: 'acme' });
  await job('J8', 'acme', success(8, made('A7', 'person')));
  await fixture.passed((await fixture.store.head())!);
});
afterAll(() => side.dispose());

const list = async (
  tenant: string,
  resource: Parameters<CatalogReader['list']>[1],
  limit = 50,
  offset = 0,
) => {
  const { items, total } = await catalog.list(tenant, resource, { limit, offset });
  return { ids: items.map(({ assetId }) => assetId), total };
};

describe('the catalogue', () => {
  it('holds what jobs that succeeded made, by what it is, newest first', async () => {
    expect(await list('acme', 'models')).toEqual({ ids: ['A2', 'A1'], total: 2 });
    expect(await list('acme', 'backgrounds')).toEqual({ ids: ['B2'], total: 1 });
    expect(await list('acme', 'garments')).toEqual({ ids: ['G2'], total: 1 });
    expect(await list('acme', 'shots')).toEqual({ ids: ['S5'], total: 1 });
    expect(await list('rival', 'models')).toEqual({ ids: ['A3'], total: 1 });
  });

  it('neither lists nor finds a retired entry, whoever shows its picture again', async () => {
    expect(await catalog.find('acme', 'models', ['A7'])).toEqual([]);
    const [first] = await catalog.all('acme');
    expect(first).toMatchObject({ assetId: 'A7', jobId: 'J7', retiredAt: new Date(at(8)) });
  });

  it('comes in pages that neither overlap nor skip', async () => {
    expect(await list('acme', 'models', 1)).toEqual({ ids: ['A2'], total: 2 });
    expect(await list('acme', 'models', 1, 1)).toEqual({ ids: ['A1'], total: 2 });
    expect(await list('acme', 'models', 1, 2)).toEqual({ ids: [], total: 2 });
  });

  it('has no finished render, nothing of a job that failed, and nothing of one that is not over', async () => {
    const rows = await side.fixture.rows<{ id: string }>(
      'select asset_id as id from live.catalog order by 1',
    );
    expect(rows.map(({ id }) => id)).toEqual(['A1', 'A2', 'A3', 'A7', 'B2', 'G2', 'S5']);
  });

  it('keeps the first entry of a picture that another job shows again', async () => {
    const [entry] = await catalog.find('acme', 'models', ['A2', 'A3', 'G2', 'unknown']);
    expect(entry).toEqual({
      assetId: 'A2',
      tenant: 'acme',
      resource: 'models',
      kind: 'person',
      label: 'A2',
      storageKey: 'renders/A2.png',
      width: 1024,
      height: 1536,
      attributes: {},
      jobId: 'J2',
      createdAt: new Date(at(2)),
      retiredAt: null,
    });
  });

  it('finds only what is the tenant’s own, and of that resource', async () => {
    const found = await catalog.find('acme', 'models', ['A2', 'A3', 'G2', 'unknown']);
    expect(found.map(({ assetId }) => assetId)).toEqual(['A2']);
    expect(await catalog.find('acme', 'models', [])).toEqual([]);
  });

  it('has the same rows when history is folded one event at a time', async () => {
    const before = await side.fixture.rows('select * from live.catalog order by 1');
    const again = await startReadSide();
    try {
      await again.fixture.stopRunners();
      const { readModels } = await import('../read-models.js');
      const target = again.fixture;
      target.start({ readModels, eventStore: side.fixture.store, batchSize: 1 });
      await target.passed((await side.fixture.store.head())!);
      expect(await target.rows('select * from live.catalog order by 1')).toEqual(before);
    } finally {
      await again.dispose();
    }
  });
});
