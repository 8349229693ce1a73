import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { BackgroundAuthoring, BackgroundGeneratorBody, backgroundGenerator } from './background-generator.js';

const seeds = Array.from({ length: 300 }, (_, index) => index * 7_654_321);

function nameOf(fields: Partial<BackgroundGeneratorBody>, seed = 1): string {
  const body = Object.assign(new BackgroundGeneratorBody(), fields);
  return backgroundGenerator.coinName({ seed, body, pictures: [], category: undefined });
}

const authoring = Object.assign(new BackgroundAuthoring(), {
  display_name: ' ',
  light: { preset: 'quiet_low_key' },
  topology: { preset: 'courtyard_veranda' },
});

describe("a background's name", () => {
  it('is mostly another for another seed', () => {
    expect(new Set(seeds.map((seed) => nameOf({}, seed))).size).toBeGreaterThan(80);
  });

  it('says its light and its place', () => {
    for (const seed of seeds) {
      expect(nameOf({ authoring }, seed)).toMatch(/^(Quiet|Dusky|Still) (Courtyard|Veranda|Patio)$/);
    }
    expect(nameOf({ mood: 'calm', scene_type: 'old_harbour at noon' })).toBe('Calm Old Harbour At Noon');
    expect(nameOf({ authoring: { ...authoring, display_name: 'North court' } })).toBe('North court');
  });

  it('leaves out words that are too long for a name', () => {
    const long = 'x'.repeat(200);
    expect(nameOf({ mood: long, scene_type: long }).length).toBeLessThanOrEqual(128);
  });
});
