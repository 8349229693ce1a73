import { beforeAll, describe, expect, it } from 'vitest';
import type { JobArtifact } from '#domain/job/job.events.js';
import type { EventOfType } from '#domain/events.js';
import { startReadSide, type ReadSide } from '../testing/read-side.js';
import {
  artifact,
  at,
  entryRetired,
  failed,
  queued,
  renderStarted,
  stored,
  succeeded,
} from '../testing/stories.js';
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

beforeAll(async () => {
  side = await startReadSide(async (fixture) => {
    const job = (id: string, tenant: string, end: Parameters<typeof fixture.append>[2][number]) =>
      fixture.append('job', id, [queued(id, tenant), renderStarted, end], { tenant });
    const person = made('A2', 'person');
    await job(
      'J1',
      'acme',
      success(1, made('A1', 'model_portrait', { gender: 'FEMALE' }), made('R1', 'look')),
    );
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
    await fixture.append('asset', 'A7', [stored('A7'), entryRetired('A7', 8)], { tenant: 'acme' });
    await job('J8', 'acme', success(8, made('A7', 'person')));
  });
  catalog = new CatalogReader(side.dataSource);
  return side.dispose;
});

const list = async (tenant: string, resource: Parameters<CatalogReader['list']>[1]) => {
  const { items, total } = await catalog.list(tenant, resource, { limit: 50, offset: 0 });
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

  it('has no finished render, nothing of a job that failed, and nothing of one that is not over', async () => {
    const rows = await side.fixture.rows<{ id: string }>(
      'select asset_id as id from live.catalog order by 1',
    );
    expect(rows.map(({ id }) => id)).toEqual(['A1', 'A2', 'A3', 'A7', 'B2', 'G2', 'S5']);
  });

  it('finds only the tenant’s own of that resource, each as the first job showed it', async () => {
    expect(await catalog.find('acme', 'models', ['A2', 'A3', 'G2', 'unknown'])).toEqual([
      {
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
      },
    ]);
    expect(await catalog.find('acme', 'models', [])).toEqual([]);
  });
});
