import { hypot, most, sqrt, within } from './arithmetic.js';
import type { LabPlanes } from '../cutout/lab-planes.js';

/** Hues from pink to yellow at moderate chroma: what skin of any tone is made of. Cloth and brick can be so, too. */
function looksLikeSkin(l: number, a: number, b: number): boolean {
  const chroma = sqrt(a * a + b * b);
  if (l < 11 || l > 94 || chroma < 7.5 || chroma > 46) return false;
  // A hue between 20 and 84 degrees, as slopes: an angle is costly for every pixel.
  return a > 0 && b > 0.364 * a && b < 9.51 * a;
}

/** 1 where a pixel could be skin by its colour alone. */
export function skinCandidates({ l, a, b }: LabPlanes): Uint8Array {
  return Uint8Array.from(l, (value, i) => (looksLikeSkin(value, a[i] ?? 0, b[i] ?? 0) ? 1 : 0));
}

export type LabColour = readonly [l: number, a: number, b: number];

const median = (values: number[]): number => values.sort((p, q) => p - q)[values.length >> 1] ?? 0;

/** The median colour, channel by channel, of those pixels that `wanted` names. */
export function medianColour(planes: LabPlanes, wanted: Iterable<number>): LabColour | undefined {
  const chosen = [...wanted];
  if (chosen.length === 0) return undefined;
  const of = (plane: Float32Array): number => median(chosen.map((i) => plane[i] ?? 0));
  return [of(planes.l), of(planes.a), of(planes.b)];
}

/** 1 where the colour is one that skin of this very tone takes in light and in shade: lightness may move more than hue. */
export function skinOfTone({ l, a, b }: LabPlanes, [tl, ta, tb]: LabColour, ease = 1): Uint8Array {
  const widest = ((3.8 + 0.12 * hypot(ta, tb)) * ease) ** 2;
  const deepest = within(tl * 0.42, 9, 26) * ease;
  return Uint8Array.from(l, (value, i) => {
    const fall = value - tl;
    // Colour fades with the light.
    const faded = fall > 0 ? 1 : most(0.75, 1 + fall / 90);
    const da = (a[i] ?? 0) - ta * faded;
    const db = (b[i] ?? 0) - tb * faded;
    return fall < 15 * ease && fall > -deepest && da * da + db * db < widest ? 1 : 0;
  });
}
