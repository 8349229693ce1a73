import { beforeAll, describe, expect, it } from 'vitest';
import {
  artifact,
  at,
  cancelled,
  failed,
  queued,
  renderStarted,
  stageCompleted,
  succeeded,
} from '../testing/stories.js';
import { startReadSide, type ReadSide } from '../testing/read-side.js';
import { RendersReader } from '../readers.js';

let side: ReadSide;
let renders: RendersReader;

beforeAll(async () => {
  side = await startReadSide(async (fixture) => {
    const withoutPicture = {
      ...succeeded,
      data: { ...succeeded.data, artifacts: [artifact('intermediate')] },
    };
    const later = { ...succeeded, data: { ...succeeded.data, at: at(30) } };
    const job = (id: string, tenant: string, events: Parameters<typeof fixture.append>[2]) =>
      fixture.append('job', id, [queued(id, tenant), renderStarted, ...events], { tenant });
    await job('J1', 'acme', [stageCompleted, later]);
    await job('J2', 'acme', [succeeded]);
    await job('J3', 'acme', [failed]);
    await job('J4', 'acme', [cancelled]);
    await job('J5', 'acme', [withoutPicture]);
    await job('J6', 'acme', [stageCompleted]);
    await job('X1', 'rival', [succeeded]);
  });
  renders = new RendersReader(side.dataSource);
  return side.dispose;
});

describe('the renders reader', () => {
  it("lists a tenant's finished pictures, the last finished first", async () => {
    const { items, total } = await renders.list('acme', { limit: 50, offset: 0 });
    expect(items.map(({ publicId }) => publicId)).toEqual(['J1', 'J2']);
    expect(total).toBe(2);
    expect((await renders.list('acme', { limit: 1, offset: 1 })).items).toHaveLength(1);
  });

  it('shows the final picture, under the id of its job', async () => {
    expect(await renders.find('acme', 'J2')).toEqual({
      publicId: 'J2',
      tenant: 'acme',
      jobType: 'MODEL_GENERATOR',
      label: 'On model',
      kind: 'on_model_render',
      width: 1024,
      height: 1536,
      storageKey: 'renders/On model.png',
      assetId: 'asset-of-On model',
      contentType: 'image/png',
      sha256: 'ab'.repeat(32),
      createdAt: new Date(at(4)),
      erasedAt: null,
    });
  });

  it("knows none of a job that failed, was cancelled, made no picture, is unfinished, or is another tenant's", async () => {
    for (const id of ['J3', 'J4', 'J5', 'J6', 'X1', 'unknown'])
      expect(await renders.find('acme', id)).toBeUndefined();
    expect(await renders.find('rival', 'X1')).toBeDefined();
  });

  it('keeps a row only for what is finished or may still be', async () => {
    const rows = await side.fixture.rows<{ id: string }>(
      'select public_id as id from live.renders order by 1',
    );
    expect(rows.map(({ id }) => id)).toEqual(['J1', 'J2', 'J6', 'X1']);
  });
});
