import type { LabPlanes } from '../cutout/lab-planes.js';

/** Passes over the picture; the distances hardly change after the third. */
const PASSES = 4;

/**
 * Minimum barrier distance of every pixel from the picture's left, upper and right rim, in L*a*b* units: the least span of
 * values (highest minus lowest) that a path from the rim has to cross. Soft washes, falling light and stains in the ground
 * are reached over low barriers; what has a contour is not (Zhang et al., "Minimum Barrier Salient Object Detection at
 * 80 FPS", ICCV 2015, here with raster scans). The lower rim is no start, because people are often cropped there.
 */
export function barrierDistance({ l, a, b, width, height }: LabPlanes): Float32Array {
  const sum = new Float32Array(width * height);
  for (const plane of [l, a, b]) {
    const one = barrier(plane, width, height);
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + (one[i] ?? 0);
  }
  return sum;
}

function barrier(plane: Float32Array, width: number, height: number): Float32Array {
  const size = width * height;
  const distance = new Float32Array(size).fill(1e6);
  const high = Float32Array.from(plane);
  const low = Float32Array.from(plane);
  for (let x = 0; x < width; x++) distance[x] = 0;
  for (let y = 0; y < height; y++) distance[y * width] = distance[y * width + width - 1] = 0;
  const relax = (i: number, from: number): void => {
    const value = plane[i] ?? 0;
    const above = high[from] ?? 0;
    const beneath = low[from] ?? 0;
    const top = above > value ? above : value;
    const bottom = beneath < value ? beneath : value;
    if (top - bottom >= (distance[i] ?? 0)) return;
    distance[i] = top - bottom;
    high[i] = top;
    low[i] = bottom;
  };
  for (let pass = 0; pass < PASSES; pass++) {
    if (pass % 2 === 0) {
      for (let y = 1; y < height; y++) {
        for (let x = 1, i = y * width + 1; x < width - 1; x++, i++) {
          relax(i, i - 1);
          relax(i, i - width);
        }
      }
    } else {
      for (let y = height - 2; y >= 0; y--) {
        for (let x = width - 2, i = y * width + width - 2; x > 0; x--, i--) {
          relax(i, i + 1);
          relax(i, i + width);
        }
      }
    }
  }
  return distance;
}
