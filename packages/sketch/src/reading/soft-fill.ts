import { floor } from './arithmetic.js';

/** Pixels beside a hole that still show its contour. */
const RIM = 7;

/**
 * Fills the hole row by row between the nearest ground on its left and on its right, softened from row to row.
 * Then it lets the colours flow together. Walls, skirting boards and horizons continue, and leave no seam where
 * they meet.
 */
export function smoothFill(picture: Float32Array, missing: Uint8Array, width: number, height: number): void {
  for (let y = 0; y < height; y++) {
    let from = -1;
    for (let x = 0; x <= width; x++) {
      const inside = x < width && missing[y * width + x] === 1;
      if (inside && from < 0) from = x;
      if (inside || from < 0) continue;
      const [left, right] = [from - 1, x];
      for (let k = from; k < x; k++) {
        const t = left < 0 ? 1 : right >= width ? 0 : (k - left) / (right - left);
        for (let c = 0; c < 3; c++) {
          const a = left < 0 ? undefined : picture[(y * width + left) * 3 + c];
          const b = right >= width ? undefined : picture[(y * width + right) * 3 + c];
          picture[(y * width + k) * 3 + c] = (a ?? b ?? 128) * (1 - t) + (b ?? a ?? 128) * t;
        }
      }
      from = -1;
    }
  }
  relax(picture, missing, width, height);
}

/** Gauss–Seidel sweeps with three times the weight along rows, so that horizontal edges stay sharp. */
function relax(picture: Float32Array, missing: Uint8Array, width: number, height: number): void {
  const inside: number[] = [];
  for (let i = 0; i < missing.length; i++) if (missing[i]) inside.push(i);
  for (let round = 0; round < 14; round++) {
    for (const i of round % 2 ? inside : inside.toReversed()) {
      const x = i % width;
      const y = floor(i / width);
      for (let c = 0; c < 3; c++) {
        let [sum, weight] = [0, 0];
        const add = (j: number, w: number): void => {
          sum += (picture[j * 3 + c] ?? 0) * w;
          weight += w;
        };
        if (x > 0) add(i - 1, 3);
        if (x < width - 1) add(i + 1, 3);
        if (y > 0) add(i - width, 1);
        if (y < height - 1) add(i + width, 1);
        picture[i * 3 + c] = sum / weight;
      }
    }
  }
}

/** The source of a hole pixel's grain: the pixel mirrored at the nearer side of the hole, in the same row. */
export function mirrored(missing: Uint8Array, width: number, y: number): Int32Array {
  const from = new Int32Array(width).fill(-1);
  const row = y * width;
  const free = (x: number): boolean => x >= 0 && x < width && !missing[row + x];
  let start = -1;
  for (let x = 0; x <= width; x++) {
    const inside = x < width && missing[row + x] === 1;
    if (inside && start < 0) start = x;
    if (inside || start < 0) continue;
    for (let k = start; k < x; k++) {
      const viaLeft = start - RIM - (k - start);
      const viaRight = x + RIM + (x - 1 - k);
      const preferLeft = k - start < x - 1 - k;
      const choices = preferLeft ? [viaLeft, viaRight] : [viaRight, viaLeft];
      from[k] = choices.find(free) ?? -1;
    }
    start = -1;
  }
  return from;
}
