import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { femaleNames, maleNames, neutralNames } from './given-names.js';
import { ModelGeneratorBody, modelGenerator } from './model-generator.js';

const seeds = Array.from({ length: 300 }, (_, index) => index * 7_654_321);
const bodyOf = (fields: Partial<ModelGeneratorBody>) => Object.assign(new ModelGeneratorBody(), fields);

function namesOf(
  fields: Partial<ModelGeneratorBody>,
  pictures: readonly (Record<string, unknown> | undefined)[] = [],
): string[] {
  const body = bodyOf(fields);
  return seeds.map((seed) => modelGenerator.coinName({ seed, body, pictures, category: undefined }));
}

describe("a model's name", () => {
  it('is mostly another for another seed', () => {
    expect(new Set(namesOf({})).size).toBeGreaterThan(80);
  });

  it('goes with the gender that was asked for, or that the portrait has', () => {
    const allAmong = (names: string[], list: string[]) =>
      names.every((name) => list.includes(name.split(' ')[0] ?? ''));
    expect(allAmong(namesOf({ gender: 'FEMALE' }), femaleNames)).toBe(true);
    expect(allAmong(namesOf({ gender: 'MALE' }), maleNames)).toBe(true);
    expect(allAmong(namesOf({}, [undefined, { gender: 'MALE' }]), maleNames)).toBe(true);
    expect(allAmong(namesOf({}), neutralNames)).toBe(true);
  });
});
