import { least, most } from './arithmetic.js';
import type { LabPlanes } from '../cutout/lab-planes.js';

/** Passes over the picture, alternately from its first and its last pixel. */
const PASSES = 4;
/** What one step costs on an even surface, and the ΔE that grain alone makes. */
const STEP = 0.25;
const GRAIN = 1.6;
/** A print has as many edges as a contour: a single one counts no more than this. */
const STEEPEST = 22;
/** Log-odds where one side is reached at no cost at all. */
const STRENGTH = 3.2;

/** Which pixels are surely inside, or surely outside. */
type Seeds = (pixel: number) => boolean;

/**
 * Log-odds of being inside from contours alone: how much ΔE a path from what is surely inside has to climb, compared with
 * one from what is surely outside. A wall of the jumper's colour lies beyond the jumper's contour, and a jacket of the
 * wall's colour within its own.
 */
export function contourEvidence(planes: LabPlanes, inside: Seeds, outside: Seeds): Float32Array {
  const climbs = stepsOf(planes);
  const fromInside = reach(climbs, planes.width, inside);
  const fromOutside = reach(climbs, planes.width, outside);
  return fromInside.map((near, i) => {
    const far = fromOutside[i] ?? 0;
    return (STRENGTH * (far - near)) / (far + near + 6);
  });
}

interface Climbs {
  readonly right: Float32Array;
  readonly below: Float32Array;
}

function stepsOf({ l, a, b, width, height }: LabPlanes): Climbs {
  const size = width * height;
  const [right, below] = [new Float32Array(size), new Float32Array(size)];
  const climb = (i: number, j: number): number => {
    const [dl, da, db] = [(l[i] ?? 0) - (l[j] ?? 0), (a[i] ?? 0) - (a[j] ?? 0), (b[i] ?? 0) - (b[j] ?? 0)];
    return STEP + least(STEEPEST, most(0, Math.sqrt(dl * dl + da * da + db * db) - GRAIN));
  };
  for (let i = 0; i < size; i++) {
    if (i + 1 < size) right[i] = climb(i, i + 1);
    if (i + width < size) below[i] = climb(i, i + width);
  }
  return { right, below };
}

/** Cost of the cheapest path from a seed to each pixel. */
function reach({ right, below }: Climbs, width: number, seed: Seeds): Float32Array {
  const size = right.length;
  const cost = new Float32Array(size).fill(1e6);
  for (let i = 0; i < size; i++) if (seed(i)) cost[i] = 0;
  for (let pass = 0; pass < PASSES; pass++) {
    if (pass % 2 === 0) {
      for (let i = width + 1; i < size; i++) {
        const left = (cost[i - 1] ?? 0) + (right[i - 1] ?? 0);
        const above = (cost[i - width] ?? 0) + (below[i - width] ?? 0);
        const best = left < above ? left : above;
        if (best < (cost[i] ?? 0)) cost[i] = best;
      }
    } else {
      for (let i = size - width - 2; i >= 0; i--) {
        const after = (cost[i + 1] ?? 0) + (right[i] ?? 0);
        const under = (cost[i + width] ?? 0) + (below[i] ?? 0);
        const best = after < under ? after : under;
        if (best < (cost[i] ?? 0)) cost[i] = best;
      }
    }
  }
  return cost;
}
