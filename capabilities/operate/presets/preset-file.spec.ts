import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { presetTable } from '#domain/preset/preset-table.js';
import { isId } from '#platform/ids.js';
import { readPresetFile } from './preset-file.js';

let folder: string;
const fine = { kind: 'shot', label: ' Close ', spec: { framing: 'close' }, image: 'tile.jpg' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-preset-file-'));
  const picture = sharp({ create: { width: 4, height: 6, channels: 3, background: '#456' } });
  await writeFile(join(folder, 'tile.jpg'), await picture.clone().jpeg().toBuffer());
  await writeFile(join(folder, 'tile.png'), await picture.clone().png().toBuffer());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(content: unknown) {
  const path = join(folder, 'preset.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readPresetFile(path);
}

describe('the file of a preset', () => {
  it('makes a new one where it gives no id', async () => {
    const draft = await read(fine);
    expect(draft).toMatchObject({ kind: 'shot', label: 'Close', spec: { framing: 'close' } });
    expect(isId(draft.id)).toBe(true);
  });

  it('names one that is there by its id', async () => {
    const id = '01JWZ0000000000000000000B1';
    expect((await read({ ...fine, id })).id).toBe(id);
  });

  it.each([
    ['{', 'not JSON'],
    [[], 'JSON object'],
    [{ ...fine, id: 'x' }, 'ULID'],
    [{ ...fine, id: presetTable[0]?.id }, 'preset of this release'],
    [{ ...fine, kind: 'sofa' }, 'model, background, shot'],
    [{ ...fine, label: ' ' }, 'label'],
    [{ ...fine, spec: [] }, 'spec'],
    [{ ...fine, image: 'none.jpg' }, 'ENOENT'],
    [{ ...fine, image: 'tile.png' }, 'not a JPEG'],
    [{ ...fine, colour: 'red' }, 'colour'],
  ])('is refused with its reason: %j', async (content, reason) => {
    await expect(read(content)).rejects.toThrow(reason);
  });

  it('has to be there', async () => {
    await expect(readPresetFile(join(folder, 'nowhere.json'))).rejects.toThrow('ENOENT');
  });
});
