import { exp, most } from './arithmetic.js';
import type { LabPlanes } from '../cutout/lab-planes.js';

const ROUNDS = 10;
const DAMPING = 0.5;

/** How strongly neighbours hold together, right and below of each pixel: little across an edge of colour. */
function bonds({ l, a, b, width, height }: LabPlanes, strength: number): [Float32Array, Float32Array] {
  const size = width * height;
  const gap = (i: number, j: number): number =>
    ((l[i] ?? 0) - (l[j] ?? 0)) ** 2 + ((a[i] ?? 0) - (a[j] ?? 0)) ** 2 + ((b[i] ?? 0) - (b[j] ?? 0)) ** 2;
  let total = 0;
  for (let i = 0; i < size - width - 1; i += 3) total += gap(i, i + 1) + gap(i, i + width);
  const scale = 1 / (2 * most(4, (1.5 * total) / (size / 1.5)));
  const [right, below] = [new Float32Array(size), new Float32Array(size)];
  for (let i = 0; i < size; i++) {
    if (i % width < width - 1) right[i] = strength * (0.08 + exp(-gap(i, i + 1) * scale));
    if (i < size - width) below[i] = strength * (0.08 + exp(-gap(i, i + width) * scale));
  }
  return [right, below];
}

/** What a neighbour of belief `h` says over a bond: log-odds, max-product, never more than the bond is worth. */
const said = (h: number, bond: number): number => (h > bond ? bond : h < -bond ? -bond : h);

/**
 * The likeliest labelling of a picture into inside (positive) and outside (negative), given each pixel's own log-odds and
 * that neighbours of one colour mostly belong together: loopy belief propagation on the grid.
 * @returns log-odds after the neighbours were heard
 */
export function smoothLabels(own: Float32Array, planes: LabPlanes, strength: number): Float32Array {
  const { width, height } = planes;
  const size = width * height;
  const [right, below] = bonds(planes, strength);
  // Messages into a pixel from its left, right, upper and lower neighbour.
  const [fromLeft, fromRight] = [new Float32Array(size), new Float32Array(size)];
  const [fromAbove, fromBelow] = [new Float32Array(size), new Float32Array(size)];
  const belief = Float32Array.from(own);
  const send = (into: Float32Array, to: number, value: number): void => {
    const before = into[to] ?? 0;
    const next = before * DAMPING + value * (1 - DAMPING);
    into[to] = next;
    belief[to] = (belief[to] ?? 0) + next - before;
  };
  for (let round = 0; round < ROUNDS; round++) {
    const forward = round % 2 === 0;
    for (let k = 0; k < size; k++) {
      const i = forward ? k : size - 1 - k;
      const h = belief[i] ?? 0;
      const x = i % width;
      if (x < width - 1) send(fromLeft, i + 1, said(h - (fromRight[i] ?? 0), right[i] ?? 0));
      if (i < size - width) send(fromAbove, i + width, said(h - (fromBelow[i] ?? 0), below[i] ?? 0));
      if (x > 0) send(fromRight, i - 1, said((belief[i] ?? 0) - (fromLeft[i] ?? 0), right[i - 1] ?? 0));
      if (i >= width)
        send(fromBelow, i - width, said((belief[i] ?? 0) - (fromAbove[i] ?? 0), below[i - width] ?? 0));
    }
  }
  return belief;
}
