import { describe, expect, it } from 'vitest';
import { categoryById, categoryByKey, GARMENT_SLOTS, garmentCategories } from './garment-categories.js';

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const PARTS =
  `head eyes ears neck neckline shoulder torso upper_arms arms right_wrist left_wrist hand hands waist hips
  thighs legs calves feet toes`.split(/\s+/);

const distinct = (values: readonly string[]): number => new Set(values).size;

describe('garment categories', () => {
  it('name at least 48 kinds of garment, each with an id, a key and a silhouette of its own', () => {
    const count = garmentCategories.length;
    expect(count).toBeGreaterThanOrEqual(48);
    expect(distinct(garmentCategories.map((c) => c.publicId))).toBe(count);
    expect(distinct(garmentCategories.map((c) => c.key))).toBe(count);
    expect(distinct(garmentCategories.map((c) => c.silhouette))).toBe(count);
  });

  it.each(garmentCategories.map((c) => [c.key, c] as const))('%s is well formed', (key, category) => {
    expect(category.publicId).toMatch(ULID);
    expect(key).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(category.displayLabel).toMatch(/^[A-Z]/);
    expect(category.formality[0]).toBeLessThanOrEqual(category.formality[1]);
    expect(category.seasons.length).toBeGreaterThan(0);
    expect(PARTS).toEqual(expect.arrayContaining([...category.covers]));
  });

  it('fill every slot', () => {
    expect([...new Set(garmentCategories.map((c) => c.slot))].sort()).toEqual([...GARMENT_SLOTS].sort());
  });

  it('keep the ids that callers have stored', () => {
    expect(categoryByKey('t_shirt')?.publicId).toBe('01JVYEPJ00T6S3RJBKZR9DHCE6');
  });

  it('are found by id and by key, and unknown ones are not', () => {
    for (const category of garmentCategories) {
      expect(categoryById(category.publicId)).toBe(category);
      expect(categoryByKey(category.key)).toBe(category);
    }
    expect(categoryById('00000000000000000000000000')).toBeUndefined();
    expect(categoryByKey('constructor')).toBeUndefined();
  });
});
