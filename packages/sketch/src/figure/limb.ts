import { normals, resample } from '../drawing/curve.js';
import { profile, type Point } from '../drawing/geometry.js';
import type { LimbRow } from './proportions.js';

const SAMPLES = 34;

/** An arm or a leg: a bent axis with a breadth to either side. */
export class Limb {
  private readonly axis: Point[];
  private readonly sides: Point[];
  private readonly outerRows: Point[];
  private readonly innerRows: Point[];

  /** @param side 1 when the limb hangs at the right of the picture, −1 at the left. */
  constructor(
    joints: readonly Point[],
    rows: readonly LimbRow[],
    readonly side: -1 | 1,
  ) {
    this.axis = resample(joints, SAMPLES);
    this.sides = normals(this.axis);
    this.outerRows = rows.map(([at, outer]) => [at, outer]);
    this.innerRows = rows.map(([at, , inner]) => [at, inner]);
  }

  /**
   * A point of the limb. `across` runs from −1 (inner contour) to 1 (outer contour). `ease` moves the point
   * outward, in figure units, as cloth does.
   */
  point(along: number, across: number, ease = 0): Point {
    const index = Math.round(along * (SAMPLES - 1));
    const [x, y] = this.axis[index] ?? [0, 0];
    const [nx, ny] = this.sides[index] ?? [1, 0];
    const breadth = profile(across > 0 ? this.outerRows : this.innerRows, along);
    const reach = across * (breadth + ease) * this.side;
    return [x + nx * reach, y + ny * reach];
  }

  /** The axis's place across the page; it changes continuously along the limb. */
  axisAt(along: number): number {
    const at = Math.min(SAMPLES - 1.001, Math.max(0, along * (SAMPLES - 1)));
    const i = Math.floor(at);
    const [a, b] = [this.axis[i] ?? [0, 0], this.axis[i + 1] ?? [0, 0]];
    return a[0] + (b[0] - a[0]) * (at - i);
  }

  /** Mean half-breadth, continuous along the limb. */
  breadthAt(along: number): number {
    return (profile(this.outerRows, along) + profile(this.innerRows, along)) / 2;
  }

  /** One line down the limb. */
  edge(across: number, from = 0, to = 1, ease = 0): Point[] {
    const [first, last] = [Math.round(from * (SAMPLES - 1)), Math.round(to * (SAMPLES - 1))];
    const result: Point[] = [];
    for (let i = first; i < last; i += 2) result.push(this.point(i / (SAMPLES - 1), across, ease));
    result.push(this.point(last / (SAMPLES - 1), across, ease));
    return result;
  }

  /** The closed area between two lines down the limb. */
  strip(inner: number, outer: number, from = 0, to = 1, ease = 0): Point[] {
    return [...this.edge(outer, from, to, ease), ...this.edge(inner, from, to, ease).reverse()];
  }

  /**
   * A sliver of light or shade along the limb. It tapers to nothing at both ends, like a stroke of a loaded
   * brush. `inner` and `outer` are its edges at the broadest point.
   */
  sliver(inner: number, outer: number, from = 0, to = 1, ease = 0): Point[] {
    const steps = 14;
    const middle = Math.abs(outer) > Math.abs(inner) ? outer : inner;
    const line = (edge: number): Point[] =>
      Array.from({ length: steps + 1 }, (_, k) => {
        const t = k / steps;
        const swell = Math.min(1, Math.sin(Math.PI * t) * 1.7);
        return this.point(from + (to - from) * t, middle + (edge - middle) * swell, ease);
      });
    return [...line(outer), ...line(inner).reverse()];
  }

  /**
   * The direction of the limb at its end, in radians from straight down. Positive values turn toward the left
   * of the picture.
   */
  get endAngle(): number {
    const [a, b] = [this.axis[SAMPLES - 4] ?? [0, 0], this.axis[SAMPLES - 1] ?? [0, 1]];
    return Math.atan2(-(b[0] - a[0]), b[1] - a[1]);
  }
}
