import type { Brush } from '../brush.js';
import { shadowOf } from '../solids.js';

/**
 * Where a piece belongs: on a wall, on the floor beside the subject, flat on the ground, in the distance,
 * overhead.
 */
type Belongs = 'wall' | 'floor' | 'ground' | 'far' | 'overhead';

/** The place that one piece gets. */
export interface Spot {
  readonly x: number;
  readonly z: number;
  /** Room to both sides together, metres. */
  readonly width: number;
  /** Height of the wall, or of what may stand here, metres. */
  readonly height: number;
  /** −1 left of the subject, 1 right of it. */
  readonly side: -1 | 1;
  readonly colour: string;
  /** The wall's own colour, for its thickness in an opening. */
  readonly wallColour: string;
  readonly outdoors: boolean;
}

export interface Anchor {
  readonly belongs: Belongs;
  /** Breadth that it wants, metres. */
  readonly width: number;
  draw(brush: Brush, spot: Spot): string;
}

/**
 * A piece that stands on the floor, drawn over its shadow.
 * @param shadow half the breadth and the height of what casts it, metres
 */
export const standing = (
  width: number,
  shadow: readonly [half: number, height: number],
  draw: Anchor['draw'],
): Anchor => ({
  belongs: 'floor',
  width,
  draw: (brush, spot) => shadowOf(brush, [spot.x, spot.z], ...shadow) + draw(brush, spot),
});
