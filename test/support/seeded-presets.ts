import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { type SeedOptions } from '#application/preset/manage-presets.handler.js';
import { presetTable } from '#domain/preset/preset-table.js';
import { environments } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import { seedPresets } from './operator.js';

/**
 * Publishes the presets of this release in both environments. Tiles stand in for the previews: they are the
 * same in each run, and no spec waits for a drawing.
 * @returns how many presets were published
 */
export async function seedWithTiles(
  store: EventStore,
  storage: ObjectStorage,
  options: SeedOptions = {},
): Promise<number> {
  const previews = await mkdtemp(join(tmpdir(), 'atelier-tiles-'));
  try {
    const tile = await sharp({ create: { width: 8, height: 12, channels: 3, background: '#678' } })
      .jpeg()
      .toBuffer();
    for (const { id } of presetTable) await writeFile(join(previews, `${id}.jpg`), tile);
    const seeded = await Promise.all(
      environments.map((environment) => seedPresets(store, storage, environment, { ...options, previews })),
    );
    return seeded.reduce((sum, { published }) => sum + published, 0);
  } finally {
    await rm(previews, { recursive: true, force: true });
  }
}
