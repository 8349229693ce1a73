import { describe, expect, it } from 'vitest';
import { given } from '../../../../test/support/given.js';
import type { PresetEvent } from './preset.events.js';
import { evolvePreset, initialPreset, publishPreset, retirePreset, type PublishedPreset } from './preset.js';

const studio: PublishedPreset = {
  presetId: 'P1',
  kind: 'background',
  label: 'Grey sweep',
  spec: { setting: 'studio_set', light: { from: 'left', soft: true } },
  image: { storageKey: 'presets/P1/ab.jpg', contentType: 'image/jpeg', width: 4, height: 6, sha256: 'ab' },
  at: '2026-06-01T12:00:00.000Z',
};
const later = '2026-06-02T12:00:00.000Z';
const published: PresetEvent = { type: 'PresetPublished', data: studio };
const retired = { type: 'PresetRetired' as const, data: { reason: 'dated', at: later } };

const preset = { initial: initialPreset, evolve: evolvePreset };

describe('publishing a preset', () => {
  it('makes it known', () => {
    given(preset, []).when(publishPreset, studio).then(published);
  });

  it('again without a change says nothing, in whatever order its spec is written', () => {
    const spec = { light: { soft: true, from: 'left' }, setting: 'studio_set' };
    given(preset, [published])
      .when(publishPreset, { ...studio, spec, at: later })
      .then();
  });

  it.each([
    ['label', { label: 'Light grey sweep' }],
    ['spec', { spec: { setting: 'studio_set', light: { from: 'right', soft: true } } }],
    ['preview', { image: { ...studio.image, sha256: 'cd' } }],
  ])('with another %s replaces it', (_what, change) => {
    const data = { ...studio, ...change, at: later };
    given(preset, [published]).when(publishPreset, data).then({ type: 'PresetPublished', data });
  });

  it('brings a retired one back', () => {
    given(preset, [published, retired]).when(publishPreset, studio).then(published);
    expect(given(preset, [published, retired, published]).state.status).toBe('published');
  });

  it('never changes what it is for', () => {
    given(preset, [published, retired])
      .when(publishPreset, { ...studio, kind: 'shot' })
      .thenRejected({ code: 'PRESET_KIND_IS_FIXED', kind: 'background' });
  });
});

describe('retiring a preset', () => {
  it('takes it out of use, once', () => {
    given(preset, [published]).when(retirePreset, retired.data).then(retired);
    given(preset, [published, retired]).when(retirePreset, retired.data).then();
  });

  it('is refused where there is none', () => {
    given(preset, []).when(retirePreset, retired.data).thenRejected({ code: 'PRESET_NOT_FOUND' });
  });
});
