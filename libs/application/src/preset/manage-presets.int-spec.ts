import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { evolvePreset, initialPreset } from '#domain/preset/preset.js';
import { presetTable, type BundledPreset } from '#domain/preset/preset-table.js';
import { streamName } from '#domain/streams.js';
import { newId } from '#platform/ids.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { ObjectNotFound } from '#storage/object-storage.js';
import { AccountsFixture } from '../../../../test/support/accounts-fixture.js';
import { load } from '../aggregate.js';
import { installation } from '../command-context.js';
import { type SeedOptions } from './manage-presets.handler.js';
import { publishPreset, retirePreset, seedPresets } from '../../../../test/support/operator.js';

const fixture = AccountsFixture.ofSpec();
let folder: string;
let storage: FolderStorage;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-presets-'));
  const directory = join(folder, 'objects');
  storage = new FolderStorage({ directory, signingSecret: 's', publicUrl: 'http://127.0.0.1' });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const preview = (background: string) =>
  sharp({ create: { width: 4, height: 6, channels: 3, background } })
    .jpeg()
    .toBuffer();

async function tableOf(count: number): Promise<BundledPreset[]> {
  const table = Array.from({ length: count }, (_, index) => ({
    id: newId(),
    kind: 'shot' as const,
    label: `Shot ${index}`,
    spec: { framing: 'full', index },
  }));
  for (const { id } of table) await writeFile(join(folder, `${id}.jpg`), await preview('#456'));
  return table;
}

const seed = (table: readonly BundledPreset[], more: SeedOptions = {}) =>
  seedPresets(fixture.store, storage, 'test', { table, previews: folder, ...more });

async function presetOf(id: string) {
  const stream = streamName('test', 'preset', id);
  const { state, revision } = await load(fixture.store, stream, {
    initial: initialPreset,
    evolve: evolvePreset,
  });
  if (state.status === 'unpublished') throw new Error(`${id} is not published`);
  return { ...state, revision };
}

describe('seeding presets', () => {
  it('publishes each with its spec and its preview, which is stored', async () => {
    const [row] = await tableOf(1);
    expect(await seed([row!])).toMatchObject({ published: 1, unchanged: 0 });
    const { status, preset } = await presetOf(row!.id);
    expect(status).toBe('published');
    expect(preset).toMatchObject({ presetId: row!.id, kind: 'shot', label: 'Shot 0', spec: row!.spec });
    expect(preset.image).toMatchObject({ contentType: 'image/jpeg', width: 4, height: 6 });
    expect(await storage.get(preset.image.storageKey)).toEqual(
      await readFile(join(folder, `${row!.id}.jpg`)),
    );
  });

  it('again writes nothing, neither events nor pictures', async () => {
    const table = await tableOf(3);
    await seed(table);
    const head = await fixture.store.head();
    const unwritable = new Proxy(storage, {
      get: (target, name) => {
        if (name === 'put') throw new Error('a picture was written');
        return Reflect.get(target, name) as unknown;
      },
    });
    const again = await seedPresets(fixture.store, unwritable, 'test', {
      table,
      previews: folder,
    });
    expect(again).toEqual({ published: 0, unchanged: 3, position: undefined });
    expect(await fixture.store.head()).toBe(head);
  });

  it('by several at the same time publishes each once', async () => {
    const table = await tableOf(4);
    await Promise.all([seed(table), seed(table), seed(table)]);
    for (const { id } of table) expect(await presetOf(id)).toMatchObject({ revision: 0n });
  });

  it('brings what a release has changed, and keeps the earlier preview for jobs that were queued with it', async () => {
    const [row] = await tableOf(1);
    await seed([row!]);
    const before = (await presetOf(row!.id)).preset.image;
    await writeFile(join(folder, `${row!.id}.jpg`), await preview('#c33'));
    expect(await seed([{ ...row!, label: 'Closer' }])).toMatchObject({ published: 1 });
    const { preset } = await presetOf(row!.id);
    expect(preset.label).toBe('Closer');
    expect(preset.image.storageKey).not.toBe(before.storageKey);
    expect(await storage.get(before.storageKey)).toEqual(await preview('#456'));
  });

  it('leaves alone what the operator has retired, unless it is asked to bring that back', async () => {
    const [row] = await tableOf(1);
    await seed([row!]);
    const context = fixture.context(installation);
    await retirePreset(fixture.store, context, row!.id, 'dated');
    expect(await seed([row!])).toMatchObject({ published: 0 });
    expect((await presetOf(row!.id)).status).toBe('retired');
    expect(await seed([row!], { restore: true })).toMatchObject({ published: 1 });
    expect((await presetOf(row!.id)).status).toBe('published');
  });

  it('stores a preview that was lost only when it is asked to restore', async () => {
    const [row] = await tableOf(1);
    await seed([row!]);
    const { storageKey } = (await presetOf(row!.id)).preset.image;
    await rm(join(folder, 'objects', ...storageKey.split('/')));
    await seed([row!]);
    await expect(storage.get(storageKey)).rejects.toThrow(ObjectNotFound);
    expect(await seed([row!], { restore: true })).toMatchObject({ published: 0, unchanged: 1 });
    expect((await storage.get(storageKey)).length).toBeGreaterThan(100);
  });

  it('fails for a preset without a preview once the others are published, and for one that would change what it is for', async () => {
    const [row, other] = await tableOf(2);
    await rm(join(folder, `${row!.id}.jpg`));
    await expect(seed([row!, other!])).rejects.toThrow('ENOENT');
    expect(await presetOf(other!.id)).toMatchObject({ status: 'published' });
    await expect(seed([{ ...other!, kind: 'model' }])).rejects.toThrow(/is a shot/);
  });

  it('has previews for the presets of this release', async () => {
    const seeded = await seedPresets(fixture.store, storage, 'live');
    expect(seeded).toMatchObject({ published: presetTable.length });
  });
});

describe('publishing a preset', () => {
  it('is refused for a preview that is no JPEG, and stores nothing of it', async () => {
    const id = newId();
    const draft = {
      id,
      kind: 'shot' as const,
      label: 'L',
      spec: {},
      preview: await sharp(await preview('#456'))
        .png()
        .toBuffer(),
    };
    const context = fixture.context(installation);
    await expect(publishPreset(fixture.store, storage, context, draft)).rejects.toThrow(RangeError);
    expect(await fixture.store.readStream(streamName('test', 'preset', id))).toEqual({
      kind: 'stream-not-found',
    });
  });
});
