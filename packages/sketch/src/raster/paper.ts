import { SeededRandom } from '../drawing/seeded-random.js';
import type { Raster } from '../drawing/rasterise.js';

const SIDE = 512;

/** One octave of tiling value noise with `cells` cells a side, −1…1. */
function octave(random: SeededRandom, cells: number): Float32Array {
  const lattice = Float32Array.from({ length: cells * cells }, () => random.next() * 2 - 1);
  const out = new Float32Array(SIDE * SIDE);
  const fade = (t: number): number => t * t * (3 - 2 * t);
  for (let y = 0; y < SIDE; y++) {
    const v = (y / SIDE) * cells;
    const [y0, fy] = [Math.floor(v), fade(v - Math.floor(v))];
    for (let x = 0; x < SIDE; x++) {
      const u = (x / SIDE) * cells;
      const [x0, fx] = [Math.floor(u), fade(u - Math.floor(u))];
      const at = (i: number, j: number): number => lattice[((j % cells) * cells + (i % cells)) | 0] ?? 0;
      const top = at(x0, y0) * (1 - fx) + at(x0 + 1, y0) * fx;
      const bottom = at(x0, y0 + 1) * (1 - fx) + at(x0 + 1, y0 + 1) * fx;
      out[y * SIDE + x] = top * (1 - fy) + bottom * fy;
    }
  }
  return out;
}

interface Textures {
  /** Tooth of the paper: fine. */
  readonly grain: Float32Array;
  /** Pools of pigment: broad. */
  readonly pools: Float32Array;
}

let made: Textures | undefined;

/** Made once for a process, always from the same seed, so every drawing is on the same sheet of paper. */
function textures(): Textures {
  if (made) return made;
  const random = new SeededRandom(7411);
  const layers = [5, 9, 17, 34, 160, 256].map((cells) => octave(random, cells));
  const sum = (weights: readonly number[]): Float32Array => {
    const out = new Float32Array(SIDE * SIDE);
    layers.forEach((layer, k) => {
      const w = weights[k] ?? 0;
      if (w) for (let i = 0; i < out.length; i++) out[i] = (out[i] ?? 0) + w * (layer[i] ?? 0);
    });
    return out;
  };
  made = { grain: sum([0, 0, 0, 0.1, 0.55, 0.6]), pools: sum([0.55, 0.45, 0.3, 0.18, 0.05, 0]) };
  return made;
}

/** How much pigment settles at a place of the sheet, about −1…1. */
export function pigment(x: number, y: number): number {
  return textures().pools[((y | 0) % SIDE) * SIDE + ((x | 0) % SIDE)] ?? 0;
}

/**
 * Changes flat colour, in place, to watercolour on cold-pressed paper: adds broad pools of pigment and the
 * paper's tooth. `pools` and `grain` are strengths in 8-bit steps. `scale` is the picture's pixels per pixel at
 * 1K.
 */
export function watercolour(raster: Raster, pools: number, grain: number, scale: number, shift = 0): void {
  const { grain: tooth, pools: pigment } = textures();
  const { data, width, height } = raster;
  const fine = 1 / Math.max(1, scale);
  for (let y = 0; y < height; y++) {
    const row = (((y * fine) | 0) % SIDE) * SIDE;
    const broadRow = (((y * fine * 0.7 + shift) | 0) % SIDE) * SIDE;
    for (let x = 0; x < width; x++) {
      const i = (y * width + x) * 4;
      if (!data[i + 3]) continue;
      const t = tooth[row + (((x * fine) | 0) % SIDE)] ?? 0;
      const p = pigment[broadRow + (((x * fine * 0.7 + shift) | 0) % SIDE)] ?? 0;
      const change = t * grain + p * pools;
      for (let c = 0; c < 3; c++) {
        // Dark tones change less than light ones. The sum is clamped by hand, because Uint8Array wraps around.
        const value = data[i + c] ?? 0;
        const next = value + change * (0.45 + (0.55 * value) / 255);
        data[i + c] = next < 0 ? 0 : next > 255 ? 255 : next;
      }
    }
  }
}
