import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { presetTable } from '#domain/preset/preset-table.js';
import { presetKinds } from '#domain/preset/preset.events.js';
import { installation } from '#application/command-context.js';
import { seedWithTiles } from '../support/seeded-presets.js';
import { newId } from '#platform/ids.js';
import { contextOf, type Tenant } from './support/api-service.js';
import { expectError, type Json } from './support/api-client.js';
import { storageOf } from './support/made-pictures.js';
import { publishPreset, retirePreset } from '../support/operator.js';
import { openWorld } from './support/world.js';

const { service, api, tenant } = await openWorld();
await seedWithTiles(service.store, storageOf(service), { restore: true });

const list = async (kind: string, { key }: Tenant = tenant): Promise<Json[]> =>
  (await api.get(`/v1/presets?kind=${kind}`, key)).body;

/**
 * Reads until the projector has caught up: the reader of presets has not written them, so no read waits for
 * them.
 */
async function listUntil(kind: string, count: number): Promise<Json[]> {
  for (;;) {
    const tiles = await list(kind);
    if (tiles.length === count) return tiles;
  }
}

describe('GET /v1/presets', () => {
  it.each(presetKinds)('shows each published %s by id, preview and label, and nothing else', async (kind) => {
    const rows = presetTable.filter((row) => row.kind === kind);
    const tiles = await listUntil(kind, rows.length);
    expect(tiles).toEqual(rows.map(({ id, label }) => ({ id, image_url: expect.any(String), label })));
    const preview = await fetch(tiles[0].image_url as string);
    expect(preview.status).toBe(200);
    expect(preview.headers.get('content-type')).toBe('image/jpeg');
  });

  it('shows the same in the other environment', async () => {
    const sandbox = await service.openTenant({ environment: 'test' });
    const ids = (tiles: Json[]) => tiles.map(({ id }) => id as string);
    const count = presetTable.filter((row) => row.kind === 'shot').length;
    const there = async () => ids(await list('shot', sandbox));
    while ((await there()).length < count);
    expect(await there()).toEqual(ids(await listUntil('shot', count)));
  });

  it('does not serve a preview whose bytes are others than those that were published', async () => {
    const count = presetTable.filter((row) => row.kind === 'background').length;
    const preview = await sharp({ create: { width: 4, height: 6, channels: 3, background: '#654' } })
      .jpeg()
      .toBuffer();
    const draft = { id: newId(), kind: 'background', label: 'Pier', spec: {}, preview } as const;
    const context = () => contextOf('live', installation);
    await publishPreset(service.store, storageOf(service), context(), draft);
    const folder = join(service.folder, 'objects', 'presets', draft.id);
    for (const file of await readdir(folder)) await writeFile(join(folder, file), 'other bytes');
    const tiles = await listUntil('background', count + 1);
    expectError(await api.get(tiles.at(-1)!.image_url as string), 410, 'PICTURE_GONE');
    await retirePreset(service.store, context(), draft.id, 'altered');
    await listUntil('background', count);
  });

  it('shows one that is published later, and hides it once it is retired', async () => {
    const count = presetTable.filter((row) => row.kind === 'background').length;
    const preview = await sharp({ create: { width: 4, height: 6, channels: 3, background: '#456' } })
      .jpeg()
      .toBuffer();
    const draft = {
      id: newId(),
      kind: 'background',
      label: 'Quay',
      spec: { secret: true },
      preview,
    } as const;
    const context = () => contextOf('live', installation);
    await publishPreset(service.store, storageOf(service), context(), draft);
    const tiles = await listUntil('background', count + 1);
    expect(tiles.at(-1)).toEqual({ id: draft.id, image_url: expect.any(String), label: 'Quay' });
    await retirePreset(service.store, context(), draft.id, 'dated');
    const ids = (await listUntil('background', count)).map(({ id }) => id as string);
    expect(ids).not.toContain(draft.id);
  });

  it('refuses a kind that is missing or unknown, and names the ones that there are', async () => {
    for (const query of ['', '?kind=', '?kind=sofa', '?kind=model&kind=shot', '?kind=model&x=1']) {
      const answer = await api.get(`/v1/presets${query}`, tenant.key);
      expectError(answer, 422, 'VALIDATION_ERROR');
    }
    const { body } = await api.get('/v1/presets?kind=sofa', tenant.key);
    expect(body.error.message).toContain('model, background, shot');
  });
});

describe('seeding', () => {
  it('a service that has its presets writes nothing', async () => {
    const head = await service.store.head();
    expect(await seedWithTiles(service.store, storageOf(service))).toBe(0);
    expect(await service.store.head()).toBe(head);
  });
});
