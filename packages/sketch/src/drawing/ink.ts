import { normals, polygon, resample } from './curve.js';
import { distance, type Point } from './geometry.js';
import type { SeededRandom } from './seeded-random.js';

export interface InkOptions {
  /** Widest point, in figure units. */
  readonly width: number;
  /** Width at start and end as a share of `width`. */
  readonly ends?: readonly [number, number];
  /** Where along the stroke the pen presses hardest, 0–1. */
  readonly press?: number;
  /** The number of points of the stroke; by default it depends on the length. */
  readonly points?: number;
  /** A live hand: the pen's pressure wavers a little. */
  readonly hand?: SeededRandom;
}

/**
 * A pen stroke of varying width, as a filled outline. A stroke that swells and thins looks drawn by hand; a
 * stroke of constant width looks like a diagram.
 */
export function ink(points: readonly Point[], options: InkOptions): string {
  const { width, ends = [0.25, 0.15], press = 0.45, hand } = options;
  const length = points.reduce((sum, p, i) => sum + (i ? distance(points[i - 1] ?? p, p) : 0), 0);
  const count = options.points ?? Math.max(7, Math.min(72, Math.round(length / Math.max(1.1, width * 1.1))));
  const line = resample(points, count);
  const sides = normals(line);
  const phase = hand ? hand.next() * 6.28 : 0;
  const left: Point[] = [];
  const right: Point[] = [];
  line.forEach((p, i) => {
    const t = i / (count - 1);
    const toPeak = t < press ? t / press : (1 - t) / (1 - press);
    const base = t < press ? ends[0] : ends[1];
    const swell = base + (1 - base) * Math.sin((toPeak * Math.PI) / 2);
    const waver = hand ? 1 + 0.14 * Math.sin(phase + t * length * 0.09) : 1;
    const half = (width / 2) * swell * waver;
    const n = sides[i] ?? [0, 0];
    left.push([p[0] + n[0] * half, p[1] + n[1] * half]);
    right.push([p[0] - n[0] * half, p[1] - n[1] * half]);
  });
  return polygon([...left, ...right.reverse()]);
}
