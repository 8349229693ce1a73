import { least, most } from './arithmetic.js';
import type { Raster } from '../drawing/rasterise.js';
import { LINEAR } from '../cutout/lab-planes.js';
import type { Mask } from '../cutout/mask.js';

/** Estimates are clamped to the range of lamps and skies, and rounded to their precision. */
const COLDEST = 12000;
const WARMEST = 2200;
const STEP = 50;

/** Above this saturation, a colour says more about a surface than about the light. */
const COLOURED = 0.82;
/** Share of the highlights' luminance from which a pixel is bright. */
const BRIGHT = 0.55;

/** Correlated colour temperature of a linear sRGB colour by McCamy's cubic (1992), kelvin. */
function correlatedTemperature(red: number, green: number, blue: number): number {
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
type Illuminant = readonly [red: number, green: number, blue: number];

interface Tone {
  readonly rgb: Illuminant;
  readonly luminance: number;
  readonly weight: number;
}

/** Every third pixel in linear light, except nearly black pixels, which show nothing of the light. */
function tonesOf({ data, width, height }: Raster, subject: Mask | undefined): Tone[] {
  const tones: Tone[] = [];
  for (let i = 0; i < width * height; i += 3) {
    if ((data[i * 4 + 3] ?? 255) < 128) continue;
    const r = LINEAR[data[i * 4] ?? 0] ?? 0;
    const g = LINEAR[data[i * 4 + 1] ?? 0] ?? 0;
    const b = LINEAR[data[i * 4 + 2] ?? 0] ?? 0;
    const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    if (luminance < 0.06) continue;
    const saturation = 1 - least(r, least(g, b)) / most(r, most(g, b));
    const weight = most(0, 1 - saturation / COLOURED) * luminance * (subject?.data[i] ? 0.35 : 1);
    tones.push({ rgb: [r, g, b], luminance, weight });
  }
  return tones;
}

/**
 * The colour of the light. It is read from the brightest pixels without a strong colour, preferably in the
 * background: a white that looks blue lies in cold light. It is only an estimate: a picture of nothing but a
 * tinted wall looks like tinted light.
 * @param subject the part that is not background, if known
 */
export function illuminantOf(picture: Raster, subject?: Mask): Illuminant {
  const tones = tonesOf(picture, subject);
  const sorted = Float64Array.from(tones, (tone) => tone.luminance).sort();
  const bright = BRIGHT * (sorted[Math.floor(sorted.length * 0.97)] ?? 1);
  let [red, green, blue, weight] = [0, 0, 0, 0];
  let count = 0;
  for (const tone of tones) {
    if (tone.luminance < bright || tone.weight === 0) continue;
    red += tone.rgb[0] * tone.weight;
    green += tone.rgb[1] * tone.weight;
    blue += tone.rgb[2] * tone.weight;
    weight += tone.weight;
    count++;
  }
  if (weight < 1e-3) return [1, 1, 1];
  const trust = Math.min(1, count / ((picture.width * picture.height) / 3) / 0.04);
  const against = (v: number): number => 1 + (v / green - 1) * trust;
  return [against(red), 1, against(blue)];
}

/** Colour temperature of a photograph's light, kelvin; 6500 is neutral in sRGB. */
export const colourTemperature = (picture: Raster, subject?: Mask): number =>
  correlatedTemperature(...illuminantOf(picture, subject));
