import type { FigureSpec } from '../casting/figure-spec.js';
import { profile, rotate, type Point } from '../drawing/geometry.js';
import { points } from '../drawing/points.js';

const FEMALE_HALF: readonly Point[] = points(
  '0 0, 2 13, 8 23, 18 30.5, 30 34, 42 34.6, 52 33.8, 62 32, 70 29.4, 78 25.6, 86 20.2, 92 14.6, 96.6 9, 99 4.6, 100 0',
);

const MALE_HALF: readonly Point[] = points(
  '0 0, 2 13, 8 23.5, 18 31, 30 34.6, 42 35, 52 34.4, 62 33.4, 72 31.8, 80 28.6, 87 22.6, 93 16, 98 9.4, 100.6 0',
);

/**
 * Places points of a face in the drawing. The points are given for a face that looks straight at us (x from the
 * middle line, y from 0 at the crown to 100 at the chin). The yaw rotates the face as a rounded surface, so one
 * set of landmarks also gives a slight three-quarter view.
 */
export class HeadFrame {
  private readonly rows: readonly Point[];

  constructor(
    private readonly spec: FigureSpec,
    private readonly origin: Point = [0, 0],
  ) {
    this.rows = spec.gender === 'MALE' ? MALE_HALF : FEMALE_HALF;
  }

  /** Half breadth of the face at a height, before rotation. */
  half(y: number): number {
    const { breadth, jaw } = this.spec.face;
    const lower = Math.max(0, Math.min(1, (y - 55) / 30));
    return profile(this.rows, y) * breadth * (1 + (jaw - 1) * lower);
  }

  /** @param lift how far the point stands out of the face's surface, as a nose does. */
  put(x: number, y: number, lift = 0): Point {
    const { yaw, tilt } = this.spec.face;
    const round = Math.sqrt(Math.max(0, 1 - (x / 38) ** 2));
    const vertical = 0.62 + 0.38 * Math.sin((Math.PI * Math.min(100, Math.max(0, y))) / 108);
    const depth = 29 * round * vertical + lift;
    const turned: Point = [x * Math.cos(yaw) + depth * Math.sin(yaw) - 5 * Math.sin(yaw), y];
    const [px, py] = rotate(turned, tilt, [0, 108]);
    return [px + this.origin[0], py + this.origin[1]];
  }

  all(points: readonly Point[]): Point[] {
    return points.map(([x, y]) => this.put(x, y));
  }

  /** A point, for example of the hair, that follows the head's tilt but is not on the face. */
  free(x: number, y: number): Point {
    const [px, py] = rotate([x + 7 * Math.sin(this.spec.face.yaw), y], this.spec.face.tilt, [0, 108]);
    return [px + this.origin[0], py + this.origin[1]];
  }

  freely(points: readonly Point[]): Point[] {
    return points.map(([x, y]) => this.free(x, y));
  }

  /** One half of the contour from crown to chin. */
  contour(side: -1 | 1, from = 0, to = 100): Point[] {
    return this.rows
      .map(([y]) => y)
      .filter((y) => y >= from && y <= to)
      .map((y) => this.put(this.half(y) * side, y));
  }

  /** The closed face. */
  shape(): Point[] {
    return [...this.contour(1), ...this.contour(-1, 1, 99).reverse()];
  }
}
