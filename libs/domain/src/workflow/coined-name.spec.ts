import { describe, expect, it } from '@jest/globals';
import { coinName } from './coined-name.js';
import { femaleNames, maleNames, neutralNames } from './given-names.js';
import { workflows } from './workflows.js';

const seeds = Array.from({ length: 300 }, (_, index) => index * 7_654_321);

describe('a coined name', () => {
  it('is the same for the same seed and facts, and mostly another for another seed', () => {
    for (const operation of ['model-generator', 'background-generator']) {
      const names = seeds.map((seed) => coinName(operation, seed, { body: {} }));
      expect(seeds.map((seed) => coinName(operation, seed, { body: {} }))).toEqual(names);
      expect(new Set(names).size).toBeGreaterThan(80);
    }
  });

  it('of a model goes with the gender that was asked for, or that the portrait has', () => {
    const given = (facts: Parameters<typeof coinName>[2]) =>
      seeds.map((seed) => coinName('model-generator', seed, facts).split(' ')[0]);
    const allAmong = (names: (string | undefined)[], list: string[]) =>
      names.every((name) => list.includes(name ?? ''));
    expect(allAmong(given({ body: { gender: 'FEMALE' } }), femaleNames)).toBe(true);
    expect(allAmong(given({ body: { gender: 'MALE' } }), maleNames)).toBe(true);
    expect(allAmong(given({ body: {}, pictures: [undefined, { gender: 'MALE' }] }), maleNames)).toBe(true);
    expect(allAmong(given({ body: {} }), neutralNames)).toBe(true);
  });

  it('of a background says its light and its place', () => {
    const authoring = { light: { preset: 'quiet_low_key' }, topology: { preset: 'courtyard_veranda' } };
    for (const seed of seeds) {
      expect(coinName('background-generator', seed, { body: { authoring } })).toMatch(
        /^(Quiet|Dusky|Still) (Courtyard|Veranda|Patio)$/,
      );
    }
    const legacy = { mood: 'calm', scene_type: 'old_harbour at noon' };
    expect(coinName('background-generator', 1, { body: legacy })).toBe('Calm Old Harbour At Noon');
    const named = { authoring: { ...authoring, display_name: 'North court' } };
    expect(coinName('background-generator', 1, { body: named })).toBe('North court');
  });

  it('of a garment says its colour, pattern, material and what it is, in whichever form they came', () => {
    const name = (body: Record<string, unknown>, category?: string) =>
      coinName('complementary-garment-generator', 1, { body, category });
    const authoring = { primary_colour: 'sage', material: 'washed linen', pattern: 'solid' };
    expect(name({ authoring }, 'Skirt')).toBe('Sage Washed Linen Skirt');
    expect(name({ attributes: { colour: 'rust', pattern: 'striped' } }, 'Shirt')).toBe('Rust Striped Shirt');
    expect(name({ color: 'black', material: 'wool' })).toBe('Black Wool Garment');
    expect(name({}, 'Belt')).toMatch(/^[A-Z][a-z]+ Belt$/);
  });

  it('fits display_name, whatever the body says', () => {
    const long = 'x'.repeat(200);
    const body = { mood: long, scene_type: long, color: long, material: 'y'.repeat(32), pattern: '   ' };
    for (const { name } of workflows) {
      const coined = coinName(name, 5, { body, category: 'Wrap dress' });
      expect(coined.length).toBeLessThanOrEqual(128);
      expect(coined === '').toBe(!name.endsWith('-generator'));
    }
  });
});
