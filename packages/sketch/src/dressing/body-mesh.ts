import type { Silhouette } from '../cutout/silhouette.js';
import { smoothstep, type Point } from '../drawing/geometry.js';
import type { Rig } from '../figure/rig.js';
import type { Mesh } from './mesh.js';

interface BodyFit {
  /** Mask row → height on the figure. */
  readonly height: (row: number) => number;
  /** Figure units per mask pixel across. */
  readonly scale: number;
  /**
   * Sleeves have their own meshes, so a row only counts the body: pixels at most this far from the middle line.
   */
  readonly apart?: number;
  /** Rows above this height are not broadened, so shoulders and straps keep their cut. */
  readonly bodyFrom: number;
  /** Takes the waist in, as a share. */
  readonly pinch: number;
}

const ROWS = 44;
const COLUMNS = 16;

/** Half-breadth that a garment needs at a height so that the body does not show beside it. */
function needed(rig: Rig, y: number): number {
  const hips = rig.proportions.trunk(410);
  if (y <= 410) return rig.proportions.trunk(y) + 2.6;
  return hips + 2.6 + 4 * smoothstep(520, 700, y);
}

/**
 * How much each row is widened or taken in. It becomes at least as broad as the body beneath. The factors are
 * averaged over neighbouring rows, so that the cloth has no steps.
 */
function rowFactors(shape: Silhouette, rig: Rig, fit: BodyFit): number[] {
  const raw = Array.from({ length: ROWS + 1 }, (_, j) => {
    // The last rows are the hem's round corners, so their breadth does not count.
    const row = shape.top + ((shape.bottom - shape.top) * Math.min(j, ROWS - 4)) / ROWS;
    const y = fit.height(row);
    const run =
      fit.apart === undefined ? shape.extent(Math.round(row)) : shape.body(Math.round(row), fit.apart / 1.3);
    const limit = fit.apart ?? Infinity;
    const left = Math.min(limit, shape.centre - run.from) * fit.scale;
    const right = Math.min(limit, run.to - shape.centre) * fit.scale;
    const half = Math.max(1, Math.min(left, right));
    const waist = 1 - fit.pinch * Math.exp(-(((y - 302) / 46) ** 2));
    if (y < fit.bodyFrom) return 1;
    return Math.max(waist, Math.min(1.6, needed(rig, y) / half));
  });
  return raw.map((_, j) => {
    let [sum, weight] = [0, 0];
    for (let k = -3; k <= 3; k++) {
      const value = raw[Math.min(ROWS, Math.max(0, j + k))] ?? 1;
      const w = 4 - Math.abs(k);
      // If a row must be broader than its neighbours, it stays broader.
      sum += w * Math.max(value, k === 0 ? value : value * 0.985);
      weight += w;
    }
    return Math.max(sum / weight, Math.min(raw[j] ?? 1, 1.5));
  });
}

/** The trunk of a garment: rows across the figure that follow its pose. */
export function bodyMesh(shape: Silhouette, rig: Rig, fit: BodyFit): Mesh {
  const factors = rowFactors(shape, rig, fit);
  const source: Point[][] = [];
  const target: Point[][] = [];
  const margin = Math.max(3, shape.width * 0.012);
  for (let j = 0; j <= ROWS; j++) {
    const row = shape.top - 2 + ((shape.bottom - shape.top + 5) * j) / ROWS;
    const y = fit.height(row);
    const factor = factors[j] ?? 1;
    const [s, t]: [Point[], Point[]] = [[], []];
    const half = shape.width / 2 + 8 + margin;
    for (let i = 0; i <= COLUMNS; i++) {
      const dx = half * ((2 * i) / COLUMNS - 1);
      s.push([shape.centre + dx, row]);
      t.push(rig.place(dx * fit.scale * factor, y));
    }
    source.push(s);
    target.push(t);
  }
  return { source, target };
}
