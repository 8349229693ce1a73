import type { Point } from '../drawing/geometry.js';

/** A drawing in its own units and the rectangle that holds it. */
export interface Drawing {
  readonly svg: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export const boxed = (svg: string, corner: Point, opposite: Point): Drawing => ({
  svg,
  left: corner[0],
  top: corner[1],
  right: opposite[0],
  bottom: opposite[1],
});
