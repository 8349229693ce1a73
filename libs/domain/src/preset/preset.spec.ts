import { describe, expect, it } from 'vitest';
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
const retired: PresetEvent = { type: 'PresetRetired', data: { reason: 'dated', at: later } };

const after = (...events: PresetEvent[]) => events.reduce(evolvePreset, initialPreset);

describe('publishing a preset', () => {
  it('makes it known', () => {
    expect(publishPreset(studio, initialPreset)).toEqual({ kind: 'accepted', events: [published] });
  });

  it('again without a change says nothing, in whatever order its spec is written', () => {
    const spec = { light: { soft: true, from: 'left' }, setting: 'studio_set' };
    const again = publishPreset({ ...studio, spec, at: later }, after(published));
    expect(again).toEqual({ kind: 'accepted', events: [] });
  });

  it.each([
    ['label', { label: 'Light grey sweep' }],
    ['spec', { spec: { setting: 'studio_set', light: { from: 'right', soft: true } } }],
    ['preview', { image: { ...studio.image, sha256: 'cd' } }],
  ])('with another %s replaces it', (_what, change) => {
    const data = { ...studio, ...change, at: later };
    const events = [{ type: 'PresetPublished', data }];
    expect(publishPreset(data, after(published))).toEqual({ kind: 'accepted', events });
  });

  it('brings a retired one back', () => {
    expect(publishPreset(studio, after(published, retired))).toEqual({
      kind: 'accepted',
      events: [published],
    });
    expect(after(published, retired, published).status).toBe('published');
  });

  it('never changes what it is for', () => {
    expect(publishPreset({ ...studio, kind: 'shot' }, after(published, retired))).toEqual({
      kind: 'rejected',
      rejection: { code: 'PRESET_KIND_IS_FIXED', kind: 'background' },
    });
  });
});

describe('retiring a preset', () => {
  it('takes it out of use, once', () => {
    expect(retirePreset(retired.data, after(published))).toEqual({ kind: 'accepted', events: [retired] });
    expect(retirePreset(retired.data, after(published, retired))).toEqual({ kind: 'accepted', events: [] });
  });

  it('is refused where there is none', () => {
    expect(retirePreset(retired.data, initialPreset)).toEqual({
      kind: 'rejected',
      rejection: { code: 'PRESET_NOT_FOUND' },
    });
  });
});
