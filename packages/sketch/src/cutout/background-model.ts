import { median } from '../reading/arithmetic.js';
import type { LabPlanes } from './lab-planes.js';

/**
 * The background's colour as a plane over the picture: it is not constant, because light falls off across a
 * sheet of paper.
 */
export interface BackgroundModel {
  /** Coefficients [constant, x, y] of L, a and b; x and y run from −1 to 1. */
  readonly coefficients: readonly (readonly [number, number, number])[];
  /** Typical distance of border pixels from the plane, in ΔE. */
  readonly noise: number;
  /** Share of border pixels that the plane explains. */
  readonly agreement: number;
}

interface Sample {
  readonly x: number;
  readonly y: number;
  readonly lab: readonly [number, number, number];
}

function borderSamples({ l, a, b, width, height }: LabPlanes): Sample[] {
  const margin = Math.max(2, Math.round(Math.min(width, height) * 0.025));
  const samples: Sample[] = [];
  const step = Math.max(1, Math.round((width + height) / 450));
  for (let y = 0; y < height; y += step) {
    const edgeRow = y < margin || y >= height - margin;
    for (let x = 0; x < width; x += edgeRow || x < margin || x >= width - margin ? step : 1) {
      if (!edgeRow && x >= margin && x < width - margin) {
        x = width - margin - 1;
        continue;
      }
      const i = y * width + x;
      const lab = [l[i] ?? 0, a[i] ?? 0, b[i] ?? 0] as const;
      samples.push({ x: (2 * x) / width - 1, y: (2 * y) / height - 1, lab });
    }
  }
  return samples;
}

/** Least squares for c0 + c1·x + c2·y by Cramer's rule. */
function fitPlane(samples: readonly Sample[], channel: 0 | 1 | 2): [number, number, number] {
  let [n, sx, sy, sxx, sxy, syy, sv, svx, svy] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (const { x, y, lab } of samples) {
    const v = lab[channel];
    n++;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
    syy += y * y;
    sv += v;
    svx += v * x;
    svy += v * y;
  }
  const determinant = n * (sxx * syy - sxy * sxy) - sx * (sx * syy - sxy * sy) + sy * (sx * sxy - sxx * sy);
  if (Math.abs(determinant) < 1e-6) return [sv / Math.max(1, n), 0, 0];
  const c0 = sv * (sxx * syy - sxy * sxy) - sx * (svx * syy - sxy * svy) + sy * (svx * sxy - sxx * svy);
  const c1 = n * (svx * syy - svy * sxy) - sv * (sx * syy - sxy * sy) + sy * (sx * svy - svx * sy);
  const c2 = n * (sxx * svy - sxy * svx) - sx * (sx * svy - svx * sy) + sv * (sx * sxy - sxx * sy);
  return [c0 / determinant, c1 / determinant, c2 / determinant];
}

export function modelBackground(planes: LabPlanes): BackgroundModel {
  const samples = borderSamples(planes);
  const centre = ([0, 1, 2] as const).map((k) => median(samples.map((s) => s.lab[k])));
  let coefficients: (readonly [number, number, number])[] = centre.map((c) => [c, 0, 0]);
  const off = ({ x, y, lab }: Sample): number => {
    let sum = 0;
    for (let k = 0; k < 3; k++) {
      const [c0, c1, c2] = coefficients[k] ?? [0, 0, 0];
      const d = (lab[k] ?? 0) - c0 - c1 * x - c2 * y;
      sum += d * d;
    }
    return Math.sqrt(sum);
  };
  let inliers = samples.filter((s) => off(s) < 16);
  for (let round = 0; round < 3 && inliers.length > samples.length * 0.3; round++) {
    coefficients = ([0, 1, 2] as const).map((k) => fitPlane(inliers, k));
    const limit = Math.max(3.5, 3 * median(inliers.map(off)));
    inliers = samples.filter((s) => off(s) < limit);
  }
  return {
    coefficients,
    noise: median(inliers.map(off)),
    agreement: inliers.length / Math.max(1, samples.length),
  };
}
