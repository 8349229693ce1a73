import { abs, least, sqrt } from './arithmetic.js';
import type { LabPlanes } from '../cutout/lab-planes.js';

/** Outside pixels that are averaged on either side. */
const REACH = 6;
/** How far apart two outside pixels are compared to learn how restless the ground is. */
const STRIDE = 9;

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

const mixed = (left: Float32Array, right: Float32Array, at: number, t: number): number =>
  (left[at] ?? 0) * (1 - t) + (right[at] ?? 0) * t;

/**
 * Distance, ΔE, of every pixel from what the ground should look like there: as on the left or on the right of its own row,
 * or between the two. Walls, floors and horizons go on behind a person. Pixels of a row without any ground get −1.
 */
export function rowGroundDistance(planes: LabPlanes, outside: (pixel: number) => boolean): Float32Array {
  const { l, a, b, width, height } = planes;
  const result = new Float32Array(width * height).fill(-1);
  const left = new Float32Array(width * 3);
  const right = new Float32Array(width * 3);
  const [leftAt, rightAt] = [new Int32Array(width), new Int32Array(width)];
  const scan = (y: number, into: Float32Array, places: Int32Array, step: 1 | -1): void => {
    let [meanL, meanA, meanB] = [0, 0, 0];
    let [seen, last] = [0, -1];
    for (let x = step === 1 ? 0 : width - 1; x >= 0 && x < width; x += step) {
      const i = y * width + x;
      if (outside(i)) {
        seen = last >= 0 && abs(last - x) > REACH ? 1 : least(REACH, seen + 1);
        meanL += ((l[i] ?? 0) - meanL) / seen;
        meanA += ((a[i] ?? 0) - meanA) / seen;
        meanB += ((b[i] ?? 0) - meanB) / seen;
        last = x;
      }
      places[x] = last;
      into[x * 3] = meanL;
      into[x * 3 + 1] = meanA;
      into[x * 3 + 2] = meanB;
    }
  };
  for (let y = 0; y < height; y++) {
    scan(y, left, leftAt, 1);
    scan(y, right, rightAt, -1);
    for (let x = 0; x < width; x++) {
      const from = leftAt[x] ?? -1;
      const to = rightAt[x] ?? -1;
      if (from < 0 && to < 0) continue;
      const i = y * width + x;
      const between = to > from ? (x - from) / (to - from) : 0.5;
      let nearest = Infinity;
      // As on the left, between the two, as on the right: as far as there is ground on that side.
      for (let way = from < 0 ? 2 : 0; way < (to < 0 ? 1 : 3); way++) {
        const t = way === 0 ? 0 : way === 1 ? between : 1;
        const dl = (l[i] ?? 0) - mixed(left, right, x * 3, t);
        const da = (a[i] ?? 0) - mixed(left, right, x * 3 + 1, t);
        const db = (b[i] ?? 0) - mixed(left, right, x * 3 + 2, t);
        nearest = least(nearest, dl * dl + da * da + db * db);
      }
      result[i] = sqrt(nearest);
    }
  }
  return result;
}

/** Typical ΔE between two places of the ground on one row. */
export function restlessness({ l, a, b, width }: LabPlanes, outside: (pixel: number) => boolean): number {
  const gaps: number[] = [];
  for (let i = 0; i + STRIDE < l.length; i += 13) {
    const j = i + STRIDE;
    if (i % width >= width - STRIDE || !outside(i) || !outside(j)) continue;
    gaps.push(Math.hypot((l[i] ?? 0) - (l[j] ?? 0), (a[i] ?? 0) - (a[j] ?? 0), (b[i] ?? 0) - (b[j] ?? 0)));
  }
  return median(gaps);
}
