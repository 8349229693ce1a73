import { describe, expect, it } from 'vitest';
import { presetKinds } from '../preset/preset.events.js';
import { canReplacePreset, resourceOf } from './catalog.js';

describe('the catalogue', () => {
  it('takes in building blocks, and no finished renders', () => {
    expect(resourceOf('model_full_body')).toBe('models');
    expect(resourceOf('background_plate')).toBe('backgrounds');
    expect(resourceOf('extracted_garment')).toBe('garments');
    expect(resourceOf('photography_recipe')).toBe('shots');
    expect(resourceOf('on_model_render')).toBeUndefined();
    expect(resourceOf('constructor')).toBeUndefined();
  });

  it.each([
    ['person', 'model'],
    ['background', 'background'],
    ['photography_recipe', 'shot'],
  ] as const)(
    'a %s can stand where a %s preset is asked for, and nowhere else',
    (artifactKind, presetKind) => {
      const fitting = presetKinds.filter((kind) => canReplacePreset(artifactKind, kind));
      expect(fitting).toEqual([presetKind]);
    },
  );

  it('has no garment that could stand for a preset', () => {
    expect(presetKinds.filter((kind) => canReplacePreset('garment', kind))).toEqual([]);
  });
});
