import { describe, expect, it } from 'vitest';
import { readShot } from './shot.js';

describe('readShot', () => {
  it('reads what an extraction measured, in words or in numbers', () => {
    const words = readShot({
      light: { direction: 'upper right', contrast: 'high', colour_temperature: 'warm' },
      crop: 'three_quarter',
      pose: { stance: 'hand on hip' },
      camera: { height: 'eye level', angle: 'slightly left' },
    });
    expect(words).toMatchObject({
      framing: 'three_quarter',
      pose: 'hand_on_hip',
      cameraHeight: 'eye',
      angle: 'slight_left',
    });
    expect(words.light.from[0]).toBeGreaterThan(0.5);
    expect(words.light.from[1]).toBeLessThan(0);
    expect(words.light.tint[0]).toBeGreaterThan(words.light.tint[2]);
    const numbers = readShot({
      light: { direction: 270, contrast: 0.6, colour_temperature: 7500 },
      crop: { framing: 'torso' },
      camera: { height: 0.5, angle: 20 },
    });
    expect(numbers).toMatchObject({ framing: 'half', cameraHeight: 'waist', angle: 'slight_right' });
    expect(numbers.light.from[0]).toBeLessThan(-0.9);
    expect(numbers.light.tint[2]).toBeGreaterThan(numbers.light.tint[0]);
  });

  it('makes a plain full-length shot of nothing, and keeps wild numbers within bounds', () => {
    expect(readShot(undefined)).toMatchObject({ framing: 'full', cameraHeight: 'chest', angle: 'front' });
    expect(readShot(undefined).pose).toBeUndefined();
    const wild = readShot({
      light: { contrast: 40, colour_temperature: -3 },
      crop: { offset: 9, headroom: Number.NaN },
    });
    expect(wild.light.contrast).toBe(1);
    expect(wild.light.tint.every((gain) => gain > 0.5 && gain < 1.5)).toBe(true);
    expect(wild.crop).toEqual({ offset: 0.25, headroom: 0 });
  });
});
