import { describe, expect, it } from 'vitest';
import type { Mask } from '../cutout/mask.js';
import { maskOf, outlinesOf } from './outline.js';

/** A ring with a bar below it. */
function ring(width: number, height: number): Mask {
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const away = Math.hypot(x - width / 2, y - height * 0.4);
      const inRing = away < width * 0.4 && away > width * 0.15;
      data[y * width + x] = inRing || (x > width * 0.3 && x < width * 0.7 && y > height * 0.77) ? 1 : 0;
    }
  }
  return { data, width, height };
}

const differing = (a: Mask, b: Mask): number =>
  a.data.reduce((sum, v, i) => sum + (v === b.data[i] ? 0 : 1), 0);

describe('outlines', () => {
  it('give back the mask that they were taken from, holes included, within a pixel of its edge', async () => {
    const mask = ring(200, 300);
    const outlines = outlinesOf(mask, 0.8);
    expect(outlines.length).toBe(3);
    const again = await maskOf(outlines, 200, 300);
    expect(again && differing(mask, again)).toBeLessThan(mask.data.reduce((s, v) => s + v, 0) * 0.02);
  });

  it('fill a picture of another size as well', async () => {
    const again = await maskOf(outlinesOf(ring(200, 300), 0.8), 400, 600);
    expect(again && differing(ring(400, 600), again)).toBeLessThan(400 * 600 * 0.01);
  });

  it('stay a few hundred numbers', () => {
    expect(JSON.stringify(outlinesOf(ring(400, 600), 0.8)).length).toBeLessThan(1500);
  });

  it.each([[undefined], ['M0 0'], [[]], [[[1, 2]]], [[[1, 2, 3, 'x', 5, 6]]], [[[0, 0, 1, 1, Infinity, 3]]]])(
    'are not read from %j',
    async (value) => {
      expect(await maskOf(value, 10, 10)).toBeUndefined();
    },
  );
});
