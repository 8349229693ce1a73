import { describe, expect, it } from 'vitest';
import {
  sceneFields,
  sceneFromBody,
  sceneFromWords,
  sceneSpecOf,
  type SceneAuthoring,
} from './scene-spec-from.js';

const authoring: SceneAuthoring = {
  display_name: 'Riad at noon',
  setting: 'outdoor_location',
  photographic_register: 'film_photo',
  topology: { preset: 'courtyard_veranda' },
  subject_zone: { preset: 'shallow_patio' },
  supported_crops: ['torso', 'full'],
  ground: { preset: 'custom', custom_text: 'polished terrazzo' },
  light: { preset: 'warm_directional_sun' },
  palette: ['sand', '#0f7c7c'],
  scene_anchors: ['carved door', 'theremin'],
  surface_character: 'weathered plaster',
};

describe('sceneFromBody', () => {
  it('takes every field of authoring over', () => {
    expect(sceneFromBody({ authoring }, 7)).toMatchObject({
      displayName: 'Riad at noon',
      setting: 'outdoor_location',
      register: 'film_photo',
      topology: { preset: 'courtyard_veranda', text: '' },
      zone: { preset: 'shallow_patio', text: '' },
      // The widest crop comes first: it sets the framing.
      crops: ['full', 'torso'],
      ground: { preset: 'custom', text: 'polished terrazzo' },
      light: { preset: 'warm_directional_sun', text: '' },
      palette: ['#d9c4a0', '#0f7c7c'],
      anchors: [
        { words: 'carved door', name: 'door' },
        { words: 'theremin', name: 'object' },
      ],
      surface: 'weathered plaster',
      seed: 7,
    });
  });

  it('reads the flat fields', () => {
    const spec = sceneFromBody(
      { scene_type: 'beach with a boat', mood: 'golden, calm', dominant_colors: ['sand', 'turquoise'] },
      3,
    );
    expect(spec).toMatchObject({
      setting: 'outdoor_location',
      topology: { preset: 'open_location' },
      ground: { preset: 'custom', text: 'sand' },
      light: { preset: 'warm_directional_sun' },
      paletteWords: ['sand', 'turquoise'],
      mood: 'golden, calm',
    });
    expect(spec.anchors.map((anchor) => anchor.name)).toEqual(expect.arrayContaining(['sea', 'boat']));
  });

  it('chooses by the seed what nobody said', () => {
    const palettes = Array.from({ length: 12 }, (_, seed) => sceneFromWords({}, seed).paletteWords.join());
    expect(new Set(palettes).size).toBeGreaterThan(3);
    expect(sceneFromWords({}, 5)).toEqual(sceneFromWords({}, 5));
  });
});

describe('sceneSpecOf', () => {
  it.each([
    ['authoring', { authoring }],
    ['flat fields', { scene_type: 'old library', mood: 'moody', dominant_colors: ['cognac'] }],
  ])('reads the scene again from the meta of a picture drawn from %s', (_, body) => {
    const spec = sceneFromBody(body, 11);
    const meta = JSON.parse(JSON.stringify({ scene: sceneFields(spec) })) as Record<string, unknown>;
    expect(sceneSpecOf(meta, 99)).toEqual(spec);
  });

  it('knows no scene where none is described', () => {
    expect(sceneSpecOf({ seed: 4 }, 1)).toBeUndefined();
    expect(sceneSpecOf(undefined, 1)).toBeUndefined();
  });
});
