import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import {
  ComplementaryGarmentGeneratorBody,
  complementaryGarmentGenerator,
  GarmentAuthoring,
} from './complementary-garment-generator.js';

function nameOf(fields: Partial<ComplementaryGarmentGeneratorBody>, category?: string): string {
  const body = Object.assign(new ComplementaryGarmentGeneratorBody(), fields);
  return complementaryGarmentGenerator.coinName({ seed: 1, body, pictures: [], category });
}

describe("a garment's name", () => {
  it('says its colour, pattern, material and what it is, in whichever form they came', () => {
    const authoring = Object.assign(new GarmentAuthoring(), {
      primary_colour: 'sage',
      material: 'washed linen',
    });
    expect(nameOf({ authoring }, 'Skirt')).toBe('Sage Washed Linen Skirt');
    expect(nameOf({ attributes: { colour: 'rust', pattern: 'striped' } }, 'Shirt')).toBe(
      'Rust Striped Shirt',
    );
    expect(nameOf({ color: 'black', material: 'wool' })).toBe('Black Wool Garment');
    expect(nameOf({}, 'Belt')).toMatch(/^[A-Z][a-z]+ Belt$/);
  });

  it('leaves out words that are too long for a name', () => {
    const name = nameOf({ color: 'x'.repeat(200), material: 'y'.repeat(32), pattern: '   ' }, 'Wrap dress');
    expect(name).toBe(`Y${'y'.repeat(31)} Wrap dress`);
  });
});
