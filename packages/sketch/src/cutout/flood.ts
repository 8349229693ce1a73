import type { BackgroundModel } from './background-model.js';
import type { LabPlanes } from './lab-planes.js';

export interface Flood {
  /** 1 where the background reaches from the border. */
  readonly background: Uint8Array;
  /** Distance of each pixel from the modelled background, ΔE. */
  readonly difference: Float32Array;
  /** ΔE below which a pixel counts as plain background. */
  readonly tolerance: number;
}

/**
 * Slope of lightness, L* per pixel, at which even a faint edge stops a shadow from being taken for background.
 */
const FAINT_SLOPE = 1.15;
/** Deepest shadow, in L*, that can still lie on the background. */
const SHADOW_DEPTH = 28;

interface Planes {
  readonly difference: Float32Array;
  readonly chroma: Float32Array;
  readonly drop: Float32Array;
  readonly slope: Float32Array;
}

function measure(planes: LabPlanes, model: BackgroundModel): Planes {
  const { l, a, b, width, height } = planes;
  const size = width * height;
  const out: Planes = {
    difference: new Float32Array(size),
    chroma: new Float32Array(size),
    drop: new Float32Array(size),
    slope: new Float32Array(size),
  };
  const [cl, ca, cb] = [model.coefficients[0], model.coefficients[1], model.coefficients[2]];
  if (!cl || !ca || !cb) throw new RangeError('a background model has three planes');
  for (let y = 0; y < height; y++) {
    const v = (2 * y) / height - 1;
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const u = (2 * x) / width - 1;
      const dl = (l[i] ?? 0) - cl[0] - cl[1] * u - cl[2] * v;
      const da = (a[i] ?? 0) - ca[0] - ca[1] * u - ca[2] * v;
      const db = (b[i] ?? 0) - cb[0] - cb[1] * u - cb[2] * v;
      const chroma = Math.sqrt(da * da + db * db);
      out.chroma[i] = chroma;
      out.drop[i] = -dl;
      out.difference[i] = Math.sqrt(dl * dl + chroma * chroma);
      const right = l[x < width - 1 ? i + 1 : i] ?? 0;
      const left = l[x > 0 ? i - 1 : i] ?? 0;
      const below = l[y < height - 1 ? i + width : i] ?? 0;
      const above = l[y > 0 ? i - width : i] ?? 0;
      const [gx, gy] = [right - left, below - above];
      out.slope[i] = Math.sqrt(gx * gx + gy * gy) / 2;
    }
  }
  return out;
}

/** How far the flood may go. */
interface FloodLimits {
  /** Slope of lightness that stops a shadow from being taken for background. */
  readonly steepest: number;
  /** Shadows no deeper than this, in L*, are background, however steep they are. */
  readonly freeDrop: number;
}

export const CAUTIOUS: FloodLimits = { steepest: FAINT_SLOPE, freeDrop: 0 };

/**
 * The limits for this garment, from a first cautious flood. The edges of a garment that stands out strongly are
 * far steeper than its shadow. So the flood may follow the shadow up to the garment, even into the narrow gap
 * between two legs.
 */
export function limitsFor(flood: Flood): FloodLimits {
  let [sum, count] = [0, 0];
  for (let i = 0; i < flood.background.length; i++) {
    if (flood.background[i]) continue;
    sum += flood.difference[i] ?? 0;
    count++;
  }
  const contrast = sum / Math.max(1, count);
  return {
    steepest: Math.min(3.6, Math.max(FAINT_SLOPE, contrast * 0.1)),
    freeDrop: contrast > 25 ? contrast * 0.42 : 0,
  };
}

/**
 * Floods the background inward from the border. A pixel joins when it is close to the modelled background, or
 * when it looks like a shadow on it: the same hue, darker, and without an edge. A grey garment has an edge.
 * White garments on off-white paper are kept because the tolerance follows the background's own noise.
 */
export function floodBackground(planes: LabPlanes, model: BackgroundModel, limits: FloodLimits): Flood {
  const { width, height } = planes;
  const { difference, chroma, drop, slope } = measure(planes, model);
  const tolerance = Math.min(6, Math.max(1.5, 2.6 * model.noise + 0.7));
  const background = new Uint8Array(width * height);
  const queue = new Int32Array(width * height);
  let tail = 0;
  // Light that bounces off a strong colour tints the paper beside it.
  const tint = limits.freeDrop > 0 ? 4.5 : 2.2;
  const admits = (i: number): boolean => {
    if ((difference[i] ?? 0) < tolerance)
      return (slope[i] ?? 0) < limits.steepest * 1.6 || limits.freeDrop > 0;
    const fall = drop[i] ?? 0;
    // If the garment stands out strongly, paper a little above its modelled lightness is still paper.
    if (fall < -0.25 * limits.freeDrop || fall > SHADOW_DEPTH) return false;
    if ((chroma[i] ?? 0) > tint + Math.abs(fall) * 0.11) return false;
    return (slope[i] ?? 0) < limits.steepest || fall < limits.freeDrop;
  };
  const visit = (i: number): void => {
    if (background[i] || !admits(i)) return;
    background[i] = 1;
    queue[tail++] = i;
  };
  for (let x = 0; x < width; x++) {
    visit(x);
    visit((height - 1) * width + x);
  }
  for (let y = 0; y < height; y++) {
    visit(y * width);
    visit(y * width + width - 1);
  }
  for (let head = 0; head < tail; head++) {
    const i = queue[head] ?? 0;
    const x = i % width;
    if (x > 0) visit(i - 1);
    if (x < width - 1) visit(i + 1);
    if (i >= width) visit(i - width);
    if (i < width * (height - 1)) visit(i + width);
  }
  return { background, difference, tolerance };
}
