import { abs, floor, hypot, median } from './arithmetic.js';
import type { LabColour, LabPlanes } from '../cutout/lab-planes.js';
import type { Reading } from './regions.js';

/** Places of the ground, three across and four down, that are compared with one another. */
const ACROSS = 3;
const DOWN = 4;
const BINS = 6;

export interface LocationSignature {
  /** Median colour and restlessness (spread of lightness) of each place; undefined if the subject hides it. */
  readonly places: readonly ({ readonly colour: LabColour; readonly texture: number } | undefined)[];
  /**
   * Histogram of the background's colours; its sum is 1. It hardly changes if the view is shifted or closer.
   */
  readonly histogram: Float32Array;
}

const bin = (l: number, a: number, b: number): number => {
  const clamp = (v: number): number => Math.max(0, Math.min(BINS - 1, floor(v)));
  return (clamp(l / 16.7) * BINS + clamp((a + 30) / 10)) * BINS + clamp((b + 30) / 10);
};

/**
 * The histogram is softened over neighbouring bins, so that slightly brighter light does not look like another
 * place.
 */
function histogramOf({ l, a, b }: LabPlanes, ground: readonly number[]): Float32Array {
  const counts = new Float32Array(BINS ** 3);
  for (const i of ground) {
    for (const [shift, weight] of SOFT) {
      const at = bin((l[i] ?? 0) + shift[0], (a[i] ?? 0) + shift[1], (b[i] ?? 0) + shift[2]);
      counts[at] = (counts[at] ?? 0) + weight;
    }
  }
  const total = counts.reduce((sum, v) => sum + v, 0);
  return counts.map((v) => (total > 0 ? v / total : 0));
}

const SOFT: readonly (readonly [LabColour, number])[] = [
  [[0, 0, 0], 2],
  [[7, 0, 0], 1],
  [[-7, 0, 0], 1],
  [[0, 4, 0], 1],
  [[0, -4, 0], 1],
  [[0, 0, 4], 1],
  [[0, 0, -4], 1],
];

/** The unbalanced background, because a place is known by its colours. */
export function locationSignature({ photograph, subject }: Reading): LocationSignature | undefined {
  const planes = photograph.asTaken;
  const { l, a, b, width, height } = planes;
  const ground: number[] = [];
  const cells = Array.from({ length: ACROSS * DOWN }, (): number[] => []);
  for (let i = 0; i < l.length; i += 3) {
    if (subject.mask.data[i]) continue;
    ground.push(i);
    const column = floor(((i % width) / width) * ACROSS);
    const row = floor((floor(i / width) / height) * DOWN);
    cells[row * ACROSS + column]?.push(i);
  }
  if (ground.length < (l.length / 3) * 0.08) return undefined;
  const least = (l.length / 3 / cells.length) * 0.2;
  const places = cells.map((cell) => {
    if (cell.length < least) return undefined;
    const tone = median(cell.map((i) => l[i] ?? 0));
    return {
      colour: [tone, median(cell.map((i) => a[i] ?? 0)), median(cell.map((i) => b[i] ?? 0))] as const,
      texture: median(cell.map((i) => abs((l[i] ?? 0) - (l[i + 1] ?? 0)))),
    };
  });
  return { places, histogram: histogramOf(planes, ground) };
}

const apart = (p: LabColour, q: LabColour, lightness: number): number =>
  hypot((p[0] - q[0]) * lightness, p[1] - q[1], p[2] - q[2]);

/**
 * How different two places look: 0 for the same place from the same spot. From 1 on it is doubtful whether they
 * are the same.
 */
export function locationDistance(p: LocationSignature, q: LocationSignature): number {
  const common = p.histogram.reduce((sum, v, k) => sum + Math.min(v, q.histogram[k] ?? 0), 0);
  const gaps = p.places.flatMap((one, k) => {
    const other = q.places[k];
    return one && other
      ? [apart(one.colour, other.colour, 0.7) / 12 + abs(one.texture - other.texture) / 8]
      : [];
  });
  // Only the two thirds that match best count, so that a thing in one corner does not look like another place.
  const kept = gaps.sort((x, y) => x - y).slice(0, Math.max(1, Math.ceil(gaps.length * 0.67)));
  const places = kept.length > 0 ? kept.reduce((sum, v) => sum + v, 0) / kept.length : 1;
  return 0.5 * ((1 - common) / 0.42) + 0.5 * places;
}
