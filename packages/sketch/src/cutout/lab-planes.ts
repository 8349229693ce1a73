import type { Raster } from '../drawing/rasterise.js';

/** A picture as three planes of CIE L*a*b*. */
export interface LabPlanes {
  readonly l: Float32Array;
  readonly a: Float32Array;
  readonly b: Float32Array;
  readonly width: number;
  readonly height: number;
}

export type LabColour = readonly [l: number, a: number, b: number];

const STEPS = 4096;
/** Linear light of each 8-bit sRGB value. */
export const LINEAR = Float32Array.from({ length: 256 }, (_, i) => {
  const c = i / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
});
// The cube root is the costly part of the conversion. A table of cube roots is exact enough for comparing
// colours.
const ROOT = Float32Array.from({ length: STEPS + 2 }, (_, i) => {
  const t = i / STEPS;
  return t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116;
});

const root = (t: number): number => {
  const at = (t < 0 ? 0 : t > 1 ? 1 : t) * STEPS;
  const i = at | 0;
  const low = ROOT[i] ?? 0;
  return low + ((ROOT[i + 1] ?? low) - low) * (at - i);
};

export function labPlanes({ data, width, height }: Raster): LabPlanes {
  const size = width * height;
  const [l, a, b] = [new Float32Array(size), new Float32Array(size), new Float32Array(size)];
  for (let i = 0, p = 0; i < size; i++, p += 4) {
    const red = LINEAR[data[p] ?? 0] ?? 0;
    const green = LINEAR[data[p + 1] ?? 0] ?? 0;
    const blue = LINEAR[data[p + 2] ?? 0] ?? 0;
    const x = root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047);
    const y = root(0.2126 * red + 0.7152 * green + 0.0722 * blue);
    const z = root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883);
    l[i] = 116 * y - 16;
    a[i] = 500 * (x - y);
    b[i] = 200 * (y - z);
  }
  return { l, a, b, width, height };
}
