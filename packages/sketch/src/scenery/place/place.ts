import type { Brush } from '../brush.js';
import type { GroundKind } from '../ground/ground.js';
import type { SceneSpec, Topology } from '../scene-spec.js';

/** The facts from which a place is drawn. */
export interface Site {
  readonly brush: Brush;
  readonly spec: SceneSpec;
  /** The topology that is drawn. The words of a custom topology may name one of the presets. */
  readonly drawn: Topology;
  /** Distance of the plane behind the subject, metres. */
  readonly rear: number;
  /** Half the distance between the sides, in metres. It is small enough that the sides are visible. */
  readonly half: number;
  /** Height of the walls, metres. */
  readonly height: number;
  readonly ground: GroundKind;
  readonly overhead: 'studio' | 'ceiling' | 'sky';
  /** A finished drawing of the distance that fills the sheet: sky, hills, and distant anchors. */
  readonly far: string;
  /** Whether there are distant anchors. If so, closed places need an opening to show them. */
  readonly hasFar: boolean;
}

/** A piece of wall that faces the camera, for wall pieces. */
export interface WallSpot {
  readonly x: number;
  readonly z: number;
  readonly width: number;
  readonly height: number;
  readonly colour: string;
}

/** A drawn place without its anchors, and their possible positions. */
export interface Place {
  readonly svg: string;
  readonly walls: readonly WallSpot[];
  /** Pieces on the floor stand no farther than this, metres. */
  readonly back: number;
}
