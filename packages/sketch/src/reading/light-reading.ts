import { abs, floor, median } from './arithmetic.js';
import type { LabPlanes } from '../cutout/lab-planes.js';
import { erode, type Mask } from '../cutout/mask.js';
import type { Reading } from './regions.js';

export type LightDirection = 'left' | 'right' | 'upper_left' | 'upper_right' | 'above' | 'front' | 'back';

/** How a photograph is lit, as measured. Left and right are the picture's own. */
export interface LightReading {
  readonly direction: LightDirection;
  /** Rise of lightness (L*) across the picture's width (positive toward the right) and down its height. */
  readonly slope: readonly [across: number, down: number];
  /**
   * From 0 (flat) to 1 (hard): the spread of lightness over surfaces of one colour, and over the whole picture.
   */
  readonly contrast: number;
  readonly contrastWord: 'low' | 'medium' | 'high';
}

interface Slope {
  readonly across: number;
  readonly down: number;
  readonly weight: number;
}

/**
 * The least-squares plane of lightness over chosen pixels, in L* per full width and height. Outliers are
 * removed in two rounds.
 */
function slopeOf({ l, width, height }: LabPlanes, pixels: readonly number[]): Slope | undefined {
  if (pixels.length < 60) return undefined;
  let chosen = pixels;
  let fit = [0, 0, 0];
  const at = (i: number): [number, number] => [(i % width) / width - 0.5, floor(i / width) / height - 0.5];
  const off = (i: number): number => {
    const [x, y] = at(i);
    return (l[i] ?? 0) - (fit[0] ?? 0) - (fit[1] ?? 0) * x - (fit[2] ?? 0) * y;
  };
  for (let round = 0; round < 3; round++) {
    fit = plane(l, chosen, at);
    const spread = median(chosen.map((i) => abs(off(i))));
    chosen = chosen.filter((i) => abs(off(i)) < Math.max(2.5, 2.5 * spread));
  }
  const xs = chosen.map((i) => at(i)[0]);
  const mean = xs.reduce((sum, x) => sum + x, 0) / Math.max(1, xs.length);
  const breadth = Math.sqrt(xs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / Math.max(1, xs.length));
  return {
    across: fit[1] ?? 0,
    down: fit[2] ?? 0,
    weight: Math.sqrt(chosen.length) * Math.min(1, breadth / 0.12),
  };
}

function plane(l: Float32Array, pixels: readonly number[], at: (i: number) => [number, number]): number[] {
  let [n, sx, sy, sxx, sxy, syy, sv, svx, svy] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (const i of pixels) {
    const [x, y] = at(i);
    const v = l[i] ?? 0;
    n++;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
    syy += y * y;
    sv += v;
    svx += v * x;
    svy += v * y;
  }
  const cxx = sxx - (sx * sx) / n;
  const cyy = syy - (sy * sy) / n;
  const cxy = sxy - (sx * sy) / n;
  const cvx = svx - (sv * sx) / n;
  const cvy = svy - (sv * sy) / n;
  const determinant = cxx * cyy - cxy * cxy;
  if (abs(determinant) < 1e-6) return [sv / Math.max(1, n), 0, 0];
  const across = (cvx * cyy - cvy * cxy) / determinant;
  const down = (cvy * cxx - cvx * cxy) / determinant;
  return [(sv - across * sx - down * sy) / n, across, down];
}

const pixelsOf = (mask: Mask, step: number): number[] => {
  const chosen: number[] = [];
  for (let i = 0; i < mask.data.length; i += step) if (mask.data[i]) chosen.push(i);
  return chosen;
};

/**
 * Surfaces that each have a single colour, such as garments and the background. Changes over such a surface
 * come from the light.
 */
function surfaces({ subject, garments }: Reading): { inside: Mask[]; ground: Mask } {
  const { mask } = subject;
  const ground: Mask = { ...mask, data: mask.data.map((v) => (v ? 0 : 1)) };
  return { inside: garments.map(({ mask: one }) => erode(one, 2)), ground: erode(ground, 4) };
}

const meanOf = (l: Float32Array, pixels: readonly number[]): number =>
  pixels.reduce((sum, i) => sum + (l[i] ?? 0), 0) / Math.max(1, pixels.length);

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[floor(share * (sorted.length - 1))] ?? 0;

function directionOf(across: number, down: number, backlit: boolean): LightDirection {
  const sideways = abs(across) > 5;
  if (sideways) {
    const side = across > 0 ? 'right' : 'left';
    // Light comes from above only if it also falls off downward.
    return -down > abs(across) * 0.6 && -down > 5 ? `upper_${side}` : side;
  }
  if (backlit) return 'back';
  return down < -9 ? 'above' : 'front';
}

/** Measures where the light comes from and how hard it is. */
export function readLight(reading: Reading): LightReading {
  const { asTaken: planes } = reading.photograph;
  const { inside, ground } = surfaces(reading);
  const slopes = inside.flatMap((mask) => slopeOf(planes, pixelsOf(mask, 2)) ?? []);
  const behind = slopeOf(planes, pixelsOf(ground, 7));
  // Light on the subject counts for more than light on the wall, because the wall may have its own lamp.
  const weighed = [...slopes, ...(behind ? [{ ...behind, weight: behind.weight * 0.7 }] : [])];
  const total = weighed.reduce((sum, s) => sum + s.weight, 0);
  const mean = (of: (s: Slope) => number): number =>
    total > 0 ? weighed.reduce((sum, s) => sum + of(s) * s.weight, 0) / total : 0;
  const [across, down] = [mean((s) => s.across), mean((s) => s.down)];
  const groundPixels = pixelsOf(ground, 7);
  const subjectPixels = pixelsOf(reading.subject.mask, 5);
  const lit = meanOf(planes.l, groundPixels);
  const own = meanOf(planes.l, subjectPixels);
  const contrast = contrastOf(planes, inside, subjectPixels, groundPixels);
  return {
    direction: directionOf(across, down, lit > 88 && own < 26),
    slope: [Math.round(across * 10) / 10, Math.round(down * 10) / 10],
    contrast,
    contrastWord: contrast < 0.34 ? 'low' : contrast < 0.62 ? 'medium' : 'high',
  };
}

/**
 * One half comes from the range of tones of the whole picture, the other from the range within single surfaces.
 */
function contrastOf(
  { l }: LabPlanes,
  inside: readonly Mask[],
  subject: readonly number[],
  ground: readonly number[],
): number {
  const tones = [...subject, ...ground].map((i) => l[i] ?? 0).sort((p, q) => p - q);
  const range = (percentile(tones, 0.97) - percentile(tones, 0.03)) / 100;
  const spreads = inside.flatMap((mask) => {
    const values = pixelsOf(mask, 3)
      .map((i) => l[i] ?? 0)
      .sort((p, q) => p - q);
    return values.length < 60 ? [] : [(percentile(values, 0.9) - percentile(values, 0.1)) / 100];
  });
  const within = spreads.length > 0 ? spreads.reduce((sum, v) => sum + v, 0) / spreads.length : range / 3;
  const value = 0.55 * range + 0.45 * Math.min(1, within * 2.2);
  return Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;
}
