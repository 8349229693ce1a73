import type { Raster } from '../drawing/rasterise.js';
import { pigment } from '../raster/paper.js';
import type { Register } from './scene-spec.js';

/** How a register finishes a picture. */
interface Finish {
  /** How far paint and pen wander on the paper, in pixels at 1K. */
  readonly wander: number;
  /** Pools of pigment, 8-bit steps. */
  readonly pools: number;
  /** Silver grain, 8-bit steps. */
  readonly grain: number;
  /** Blacks are lifted to this. */
  readonly black: number;
  /** Gains of red, green and blue. */
  readonly tint: readonly [number, number, number];
  readonly saturation: number;
  readonly contrast: number;
}

const FINISHES: Readonly<Record<Register, Finish>> = {
  real_photo: {
    wander: 1.5,
    pools: 7,
    grain: 0,
    black: 0,
    tint: [1, 1, 1],
    saturation: 1.03,
    contrast: 1.04,
  },
  film_photo: {
    wander: 1.9,
    pools: 8,
    grain: 9,
    black: 20,
    tint: [1.035, 1, 0.925],
    saturation: 0.86,
    contrast: 0.95,
  },
  studio_set: {
    wander: 1.2,
    pools: 4,
    grain: 0,
    black: 0,
    tint: [1.01, 1.01, 1.015],
    saturation: 0.97,
    contrast: 1.09,
  },
  render: { wander: 0, pools: 0, grain: 0, black: 0, tint: [1, 1, 1], saturation: 1.12, contrast: 1.1 },
};

/** How visible the pen is in each register. */
export const PEN: Readonly<Record<Register, number>> = {
  real_photo: 0.78,
  film_photo: 0.72,
  studio_set: 0.9,
  render: 0.4,
};

const noise = (i: number): number => {
  let t = Math.imul(i ^ (i >>> 15), 0x2c1b3c6d);
  t = Math.imul(t ^ (t >>> 12), 0x297a2d39);
  return ((t ^ (t >>> 15)) & 1023) / 512 - 1;
};

/**
 * Turns the drawn sheet into the finished picture in one pass: edges wander with the paper, pigment pools,
 * light falls on it, and the register sets the tone.
 * @param gains the light that `drawAtmosphere` makes, at the same size
 * @param unit pixels of this picture per pixel at 1K
 */
export function finish(drawn: Raster, gains: Raster, register: Register, unit: number): Raster {
  const { wander, pools, grain, black, tint, saturation, contrast } = FINISHES[register];
  const { width, height, data } = drawn;
  const out = new Uint8ClampedArray(width * height * 4);
  const light = gains.data;
  const fine = 1 / unit;
  const reach = wander * unit;
  const tone = new Float32Array(256);
  for (let v = 0; v < 256; v++) tone[v] = black + (1 - black / 255) * (128 + (v - 128) * contrast);
  for (let y = 0; y < height; y++) {
    const v = y * fine;
    for (let x = 0; x < width; x++) {
      const u = x * fine;
      const o = (y * width + x) * 4;
      let [r, g, b] = [0, 0, 0];
      if (reach > 0) {
        const sx = Math.min(width - 1.001, Math.max(0, x + reach * pigment(u * 1.7 + 60, v * 1.7 + 11)));
        const sy = Math.min(height - 1.001, Math.max(0, y + reach * pigment(u * 1.7 + 7, v * 1.7 + 230)));
        const [x0, y0] = [sx | 0, sy | 0];
        const [fx, fy] = [sx - x0, sy - y0];
        const i = (y0 * width + x0) * 4;
        const j = i + width * 4;
        const [wa, wb, wc, wd] = [(1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy];
        r = (data[i] ?? 0) * wa + (data[i + 4] ?? 0) * wb + (data[j] ?? 0) * wc + (data[j + 4] ?? 0) * wd;
        g =
          (data[i + 1] ?? 0) * wa +
          (data[i + 5] ?? 0) * wb +
          (data[j + 1] ?? 0) * wc +
          (data[j + 5] ?? 0) * wd;
        b =
          (data[i + 2] ?? 0) * wa +
          (data[i + 6] ?? 0) * wb +
          (data[j + 2] ?? 0) * wc +
          (data[j + 6] ?? 0) * wd;
      } else {
        [r, g, b] = [data[o] ?? 0, data[o + 1] ?? 0, data[o + 2] ?? 0];
      }
      const pool = pools * pigment(u * 0.62 + 90, v * 0.62 + 40);
      const speck = grain ? grain * noise(o + 77) : 0;
      const grey = 0.3 * r + 0.59 * g + 0.11 * b;
      const mix = (c: number, k: 0 | 1 | 2): number => {
        const lit =
          (grey + (c - grey) * saturation) * ((light[o + k] ?? 128) / 128) * tint[k] + pool * (0.3 + c / 365);
        return (tone[lit < 0 ? 0 : lit > 255 ? 255 : lit | 0] ?? 0) + speck;
      };
      out[o] = mix(r, 0);
      out[o + 1] = mix(g, 1);
      out[o + 2] = mix(b, 2);
      out[o + 3] = 255;
    }
  }
  return { data: new Uint8Array(out.buffer), width, height };
}
