import type { LabPlanes } from '../cutout/lab-planes.js';

const BANDS = 6;
const SIDE = 12;
const BINS = SIDE ** 3;

/** Bin of a colour: L* in steps of 9, a* and b* in steps of 9 around neutral. */
const binOf = (l: number, a: number, b: number): number => {
  const clamp = (v: number): number => (v < 0 ? 0 : v > SIDE - 1 ? SIDE - 1 : v | 0);
  return (clamp(l / 8.4) * SIDE + clamp(a / 9 + SIDE / 2)) * SIDE + clamp(b / 9 + SIDE / 2);
};

/** Every pixel's bin, computed once for a photograph. */
export function colourBins({ l, a, b }: LabPlanes): Uint16Array {
  return Uint16Array.from(l, (value, i) => binOf(value, a[i] ?? 0, b[i] ?? 0));
}

const blurAxis = (bins: Float32Array, stride: number, length: number, weight: number): Float32Array => {
  const out = new Float32Array(bins.length);
  for (let i = 0; i < bins.length; i++) {
    const at = ((i / stride) | 0) % length;
    const before = at > 0 ? (bins[i - stride] ?? 0) : 0;
    const after = at < length - 1 ? (bins[i + stride] ?? 0) : 0;
    out[i] = (bins[i] ?? 0) * (1 - 2 * weight) + (before + after) * weight;
  }
  return out;
};

/**
 * How likely colours are at heights of the picture: hair is above, shoes are below, a floor is no wall. A histogram of
 * colour per horizontal band, softened along all axes, because a pixel more or less of light must not make a colour new.
 */
export class ColourModel {
  private readonly density: Float32Array;

  /** @param weights how much each pixel belongs to what is modelled, 0–1 */
  constructor(
    bins: Uint16Array,
    weights: Float32Array,
    private readonly width: number,
    private readonly height: number,
  ) {
    let counts: Float32Array = new Float32Array(BANDS * BINS);
    for (let i = 0; i < bins.length; i++) {
      const at = this.band(i) * BINS + (bins[i] ?? 0);
      counts[at] = (counts[at] ?? 0) + (weights[i] ?? 0);
    }
    for (const stride of [1, SIDE, SIDE * SIDE]) counts = blurAxis(counts, stride, SIDE, 0.2);
    counts = blurAxis(counts, BINS, BANDS, 0.2);
    this.density = this.mixed(counts);
  }

  private band(pixel: number): number {
    const row = (pixel / this.width) | 0;
    return ((row * BANDS) / this.height) | 0;
  }

  /** Bands that hold few pixels lean on the whole picture. */
  private mixed(counts: Float32Array): Float32Array {
    const whole = new Float32Array(BINS);
    const totals = new Float32Array(BANDS);
    for (let i = 0; i < counts.length; i++) {
      const band = (i / BINS) | 0;
      whole[i % BINS] = (whole[i % BINS] ?? 0) + (counts[i] ?? 0);
      totals[band] = (totals[band] ?? 0) + (counts[i] ?? 0);
    }
    const all = totals.reduce((sum, v) => sum + v, 0) + 1e-6;
    return counts.map((count, i) => {
      const total = totals[(i / BINS) | 0] ?? 0;
      const trust = total / (total + all * 0.06);
      const local = total > 0 ? count / total : 0;
      return 0.75 * trust * local + (1 - 0.75 * trust) * ((whole[i % BINS] ?? 0) / all);
    });
  }

  /** Probability density at a pixel, never zero. */
  at(pixel: number, bin: number): number {
    return (this.density[this.band(pixel) * BINS + bin] ?? 0) + 2e-5;
  }
}
