import type { Raster } from '../drawing/rasterise.js';
import type { Mask } from '../cutout/mask.js';

/** Estimates are kept within what lamps and skies have, and rounded to what an estimate is worth. */
const COLDEST = 12000;
const WARMEST = 2200;
const STEP = 50;

/** Saturation from which a colour says more about a surface than about the light. */
const COLOURED = 0.72;

const LINEAR = Float32Array.from({ length: 256 }, (_, c) => {
  const v = c / 255;
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
});

/** Correlated colour temperature of a linear sRGB colour by McCamy's cubic (1992), kelvin. */
export function correlatedTemperature(red: number, green: number, blue: number): number {
  const x = 0.4124 * red + 0.3576 * green + 0.1805 * blue;
  const y = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const z = 0.0193 * red + 0.1192 * green + 0.9505 * blue;
  const sum = x + y + z;
  if (sum < 1e-6) return 6500;
  const n = (x / sum - 0.332) / (0.1858 - y / sum);
  const kelvin = 449 * n ** 3 + 3525 * n ** 2 + 6823.3 * n + 5520.33;
  return Math.round(Math.min(COLDEST, Math.max(WARMEST, kelvin)) / STEP) * STEP;
}

/** The colour of a photograph's light: linear sRGB with green 1. */
export type Illuminant = readonly [red: number, green: number, blue: number];

/**
 * The colour of the light: that of what is bright and nearly neutral, first of all in the ground. A white that looks blue
 * lies in cold light. An estimate: a tinted wall looks like tinted light, which is why strongly coloured pixels do not count
 * and few neutral ones draw the answer toward neutral.
 * @param subject what is not ground, if that is known yet
 */
export function illuminantOf({ data, width, height }: Raster, subject?: Mask): Illuminant {
  let [red, green, blue, weight] = [0, 0, 0, 0];
  let neutral = 0;
  const size = width * height;
  for (let i = 0; i < size; i += 3) {
    if ((data[i * 4 + 3] ?? 255) < 128) continue;
    const [r, g, b] = [
      LINEAR[data[i * 4] ?? 0] ?? 0,
      LINEAR[data[i * 4 + 1] ?? 0] ?? 0,
      LINEAR[data[i * 4 + 2] ?? 0] ?? 0,
    ];
    const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    if (luminance < 0.08) continue;
    const saturation = 1 - Math.min(r, g, b) / Math.max(r, g, b);
    if (saturation > COLOURED) continue;
    const greyness = (1 - saturation / COLOURED) ** 2;
    neutral += greyness;
    const w = luminance * greyness * (subject?.data[i] ? 0.35 : 1);
    red += r * w;
    green += g * w;
    blue += b * w;
    weight += w;
  }
  if (weight < 1e-3) return [1, 1, 1];
  const trust = Math.min(1, neutral / (size / 3) / 0.16);
  const against = (v: number): number => 1 + (v / green - 1) * trust;
  return [against(red), 1, against(blue)];
}

/** Colour temperature of a photograph's light, kelvin; 6500 is neutral in sRGB. */
export const colourTemperature = (picture: Raster, subject?: Mask): number =>
  correlatedTemperature(...illuminantOf(picture, subject));
