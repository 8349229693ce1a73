import type { LabPlanes } from '../cutout/lab-planes.js';
import type { LabColour } from './skin.js';

const ROUNDS = 8;
/** Shade moves lightness far more than it moves hue. */
const LIGHTNESS_WEIGHT = 0.5;
/** Groups nearer than this are one colour in light and in shade. */
const ONE_COLOUR = 6.5;

const gap = (p: LabColour, q: LabColour): number =>
  ((p[0] - q[0]) * LIGHTNESS_WEIGHT) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2;

/** Number of the nearest centre. */
function nearest(colour: LabColour, centres: readonly LabColour[]): number {
  let [found, least] = [0, Infinity];
  centres.forEach((centre, k) => {
    const distance = gap(colour, centre);
    if (distance < least) [found, least] = [k, distance];
  });
  return found;
}

/** Starts with the first pixel and then always the one that is farthest from all chosen: no dice, no empty cluster. */
function farthestFirst(sample: readonly LabColour[], count: number): LabColour[] {
  const centres: LabColour[] = sample[0] ? [sample[0]] : [];
  const away = sample.map((colour) => (centres[0] ? gap(colour, centres[0]) : 0));
  while (centres.length > 0 && centres.length < count) {
    const far = away.reduce((best, d, i) => (d > (away[best] ?? 0) ? i : best), 0);
    const chosen = sample[far];
    if (!chosen || (away[far] ?? 0) < 20) break;
    centres.push(chosen);
    sample.forEach((colour, i) => (away[i] = Math.min(away[i] ?? 0, gap(colour, chosen))));
  }
  return centres;
}

/** Each centre's group after near ones were taken together. */
function joined(centres: readonly LabColour[]): number[] {
  const same = centres.map((_, k) => k);
  centres.forEach((centre, k) => {
    for (let j = 0; j < k; j++) {
      const other = centres[j];
      if (other && same[k] === k && gap(centre, other) < ONE_COLOUR ** 2) same[k] = same[j] ?? j;
    }
  });
  return same;
}

interface ColourGroups {
  /** Each pixel's group, −1 outside of the mask. */
  readonly groups: Int8Array;
  /** The colour that gave a group its number. */
  readonly centres: readonly LabColour[];
}

/** Sorts the pixels of a mask into at most `count` groups of like colour. */
export function colourGroups(planes: LabPlanes, mask: Uint8Array, count: number): ColourGroups {
  const { l, a, b } = planes;
  const at = (i: number): LabColour => [l[i] ?? 0, a[i] ?? 0, b[i] ?? 0];
  const inside: number[] = [];
  for (let i = 0; i < mask.length; i++) if (mask[i]) inside.push(i);
  const step = Math.max(1, Math.floor(inside.length / 4000));
  const sample = inside.filter((_, k) => k % step === 0).map(at);
  let centres = farthestFirst(sample, count);
  for (let round = 0; round < ROUNDS; round++) {
    const sums = centres.map(() => [0, 0, 0, 0]);
    for (const colour of sample) {
      const sum = sums[nearest(colour, centres)];
      if (!sum) continue;
      colour.forEach((v, k) => (sum[k] = (sum[k] ?? 0) + v));
      sum[3] = (sum[3] ?? 0) + 1;
    }
    centres = centres.map((centre, k) => {
      const [sl = 0, sa = 0, sb = 0, n = 0] = sums[k] ?? [];
      return n > 0 ? [sl / n, sa / n, sb / n] : centre;
    });
  }
  const same = joined(centres);
  const groups = new Int8Array(mask.length).fill(-1);
  for (const i of inside) groups[i] = same[nearest(at(i), centres)] ?? 0;
  return { groups, centres };
}
