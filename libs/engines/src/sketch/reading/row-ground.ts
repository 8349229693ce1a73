import type { LabPlanes } from '../cutout/lab-planes.js';

/** Outside pixels that are averaged on either side. */
const REACH = 6;
/** How far apart two outside pixels are compared to learn how restless the ground is. */
const STRIDE = 9;

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

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
    const mean = [0, 0, 0];
    let [seen, last] = [0, -1];
    for (let x = step === 1 ? 0 : width - 1; x >= 0 && x < width; x += step) {
      const i = y * width + x;
      if (outside(i)) {
        seen = last >= 0 && Math.abs(last - x) > REACH ? 1 : Math.min(REACH, seen + 1);
        [l, a, b].forEach((plane, k) => {
          mean[k] = (mean[k] ?? 0) + ((plane[i] ?? 0) - (mean[k] ?? 0)) / seen;
        });
        last = x;
      }
      places[x] = last;
      for (let k = 0; k < 3; k++) into[x * 3 + k] = mean[k] ?? 0;
    }
  };
  for (let y = 0; y < height; y++) {
    scan(y, left, leftAt, 1);
    scan(y, right, rightAt, -1);
    for (let x = 0; x < width; x++) {
      const [from, to] = [leftAt[x] ?? -1, rightAt[x] ?? -1];
      if (from < 0 && to < 0) continue;
      const i = y * width + x;
      const between = to > from ? (x - from) / (to - from) : 0.5;
      const apart = (t: number): number => {
        const at = (k: number): number => (left[x * 3 + k] ?? 0) * (1 - t) + (right[x * 3 + k] ?? 0) * t;
        return Math.hypot((l[i] ?? 0) - at(0), (a[i] ?? 0) - at(1), (b[i] ?? 0) - at(2));
      };
      const ways = from < 0 ? [1] : to < 0 ? [0] : [0, between, 1];
      result[i] = Math.min(...ways.map(apart));
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
