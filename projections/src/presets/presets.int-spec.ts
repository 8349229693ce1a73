import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventOfType } from '#domain/events.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import { startReadSide, type ReadSide } from '../testing/read-side.js';
import { at } from '../testing/stories.js';
import { PresetsReader } from '../readers.js';

let side: ReadSide;
let presets: PresetsReader;

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

beforeAll(async () => {
  side = await startReadSide();
  presets = new PresetsReader(side.dataSource);
  const { fixture } = side;
  await fixture.append('preset', 'P1', [published('P1', 'model', 'Zora')]);
  await fixture.append('preset', 'P2', [published('P2', 'model', 'Ada')]);
  await fixture.append('preset', 'P3', [published('P3', 'model', 'Ida'), retired]);
  await fixture.append('preset', 'P4', [
    published('P4', 'shot', 'Close'),
    retired,
    published('P4', 'shot', 'Closer', 9),
  ]);
  await fixture.passed((await fixture.store.head())!);
});
afterAll(() => side.dispose());

describe('the presets reader', () => {
  it('shows the published ones of a kind, in the order of their ids', async () => {
    expect((await presets.published('model')).map(({ label }) => label)).toEqual(['Zora', 'Ada']);
    expect(await presets.published('background')).toEqual([]);
  });

  it('shows one that was published anew as it is now', async () => {
    expect(await presets.published('shot')).toEqual([
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
    const all = (await presets.all()).map(({ presetId, retiredAt }) => [presetId, retiredAt]);
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
