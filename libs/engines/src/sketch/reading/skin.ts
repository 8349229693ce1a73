import type { LabPlanes } from '../cutout/lab-planes.js';

/** Hues from pink to yellow at moderate chroma: what skin of any tone is made of. Cloth and brick can be so, too. */
export function looksLikeSkin(l: number, a: number, b: number): boolean {
  const chroma = Math.hypot(a, b);
  if (l < 11 || l > 94 || chroma < 7.5 || chroma > 46) return false;
  const hue = (Math.atan2(b, a) * 180) / Math.PI;
  return hue > 20 && hue < 84;
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
  const chroma = Math.hypot(ta, tb);
  return Uint8Array.from(l, (value, i) => {
    const fall = value - tl;
    // Colour fades with the light.
    const faded = Math.max(0.75, 1 + Math.min(0, fall) / 90);
    const off = Math.hypot((a[i] ?? 0) - ta * faded, (b[i] ?? 0) - tb * faded);
    const deepest = Math.max(9, Math.min(26, tl * 0.42));
    return fall < 15 * ease && fall > -deepest * ease && off < (3.8 + 0.12 * chroma) * ease ? 1 : 0;
  });
}
