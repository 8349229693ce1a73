import type { Brush } from '../brush.js';
import { seen } from '../camera.js';

export interface GroundArea {
  /** Nearest and farthest floor that is drawn, metres. */
  readonly near: number;
  readonly far: number;
  /** The floor's colour before light. */
  readonly colour: string;
}

/** The part of the floor that the picture shows at a distance, from left to right, in metres, with a margin. */
export const span = (brush: Brush, z: number): readonly [number, number] => {
  const [left, right] = seen(brush.camera, z);
  return [left - 0.3, right + 0.3];
};
