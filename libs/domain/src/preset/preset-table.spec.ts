import { describe, expect, it } from 'vitest';
import { presetKinds } from './preset.events.js';
import { presetTable } from './preset-table.js';

const of = (kind: string) => presetTable.filter((row) => row.kind === kind);

describe('presetTable', () => {
  it('gives every preset an id of its own, a ULID, and a label', () => {
    expect(new Set(presetTable.map((row) => row.id)).size).toBe(presetTable.length);
    for (const { id, label } of presetTable) {
      expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
      expect(label.length).toBeGreaterThan(2);
    }
  });

  it('offers a choice of each kind', () => {
    expect(presetKinds.map((kind) => of(kind).length >= 6)).toEqual([true, true, true]);
    expect(of('model').length).toBeGreaterThanOrEqual(8);
    expect(of('background').length).toBeGreaterThanOrEqual(8);
  });

  it('casts women and men, of many origins and every build', () => {
    const spread = (field: string) => new Set(of('model').map((row) => row.spec[field])).size;
    expect(spread('gender')).toBe(2);
    expect(spread('ethnicity')).toBeGreaterThanOrEqual(8);
    expect(spread('body_type')).toBe(4);
    expect(spread('seed')).toBe(of('model').length);
  });

  it('draws the free choices of each scene from a seed of its own', () => {
    const seeds = of('background').map(({ spec }) => (spec['scene'] as { seed: number }).seed);
    expect(new Set(seeds).size).toBe(seeds.length);
  });

  it('describes scenes within the bounds of background-generator', () => {
    for (const { spec } of of('background')) {
      expect(spec).toMatchObject({
        scene: { seed: expect.any(Number), topology: { preset: expect.any(String) } },
      });
      const { palette, scene_anchors: anchors } = spec['scene'] as Record<string, unknown[]>;
      expect(palette?.length).toBeGreaterThanOrEqual(1);
      expect(palette?.length).toBeLessThanOrEqual(3);
      expect(anchors?.length).toBeGreaterThanOrEqual(2);
      expect(anchors?.length).toBeLessThanOrEqual(4);
    }
  });
});
