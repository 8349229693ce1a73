import { clamp, distance, lerp, mixPoints, type Point } from '../drawing/geometry.js';
import type { Carried } from '../dressing/boxed-layer.js';
import type { Mesh } from '../dressing/mesh.js';
import { armFromAngles, shoulderJoint, type ArmPose, type Rig } from '../figure/rig.js';
import type { SleeveFrame } from '../garments/frame.js';
import { across, bodyMesh, type Manner } from './body-drawn.js';
import type { DrawnGarment } from './paint-to-wear.js';

/**
 * A sleeve as it was drawn. Its axis runs from beside the seam's upper end to the middle of the cuff.
 * Centimetres.
 */
interface SleeveAxis {
  readonly root: Point;
  readonly along: Point;
  /** Across, away from the body. */
  readonly out: Point;
  readonly length: number;
  readonly half: number;
  /** How much narrower it looks on an arm. A kimono's sleeve hangs open and keeps its breadth. */
  readonly filled: number;
}

function axisOf(sleeve: SleeveFrame, shoulder: Point): SleeveAxis {
  const cuff: Point = [(sleeve.outer[0] + sleeve.inner[0]) / 2, (sleeve.outer[1] + sleeve.inner[1]) / 2];
  const opening = distance(sleeve.outer, sleeve.inner);
  const hole: Point = [(shoulder[0] + sleeve.armpit[0]) / 2, (shoulder[1] + sleeve.armpit[1]) / 2];
  const span = distance(hole, cuff);
  const along: Point = [(cuff[0] - hole[0]) / span, (cuff[1] - hole[1]) / span];
  const before = (hole[0] - shoulder[0]) * along[0] + (hole[1] - shoulder[1]) * along[1];
  const root: Point = [hole[0] - along[0] * before, hole[1] - along[1] * before];
  const half = Math.max(opening / 2, 13) + 5;
  return {
    root,
    along,
    out: [along[1], -along[0]],
    length: distance(root, cuff),
    half,
    filled: opening > 24 ? 0.9 : 0.66,
  };
}

/** Lays a sleeve along the arm, round the elbow. */
function sleeveMesh(garment: DrawnGarment, sleeve: SleeveFrame, rig: Rig, side: -1 | 1): Mesh {
  const { frame, density, origin } = garment;
  const { elbow, wrist } = rig.poses[side === 1 ? 'right' : 'left'];
  const s = across(rig);
  const { root, along, out, length, half, filled } = axisOf(sleeve, frame.shoulder);
  // The seam's upper end lies where the body's shoulder ends.
  const off = (frame.shoulder[0] - root[0]) * out[0] + (frame.shoulder[1] - root[1]) * out[1];
  const joint = rig.place((frame.shoulder[0] - off * filled) * s * side, 158);
  const upper = distance(joint, elbow);
  const whole = upper + distance(elbow, wrist);
  const laid = length > 50 && filled < 0.8 ? whole * 1.01 : Math.min(whole, length * s * 1.18);
  const [first, second] = [
    Math.atan2(elbow[1] - joint[1], elbow[0] - joint[0]),
    Math.atan2(wrist[1] - elbow[1], wrist[0] - elbow[0]),
  ];
  const [source, target]: [Point[][], Point[][]] = [[], []];
  for (let j = 0; j <= 28; j++) {
    const v = lerp(-0.2, 1.12, j / 28);
    const down = v * laid;
    const at =
      down <= upper
        ? mixPoints(joint, elbow, down / upper)
        : mixPoints(elbow, wrist, (down - upper) / Math.max(1, whole - upper));
    const angle = lerp(first, second, clamp((down - upper + 26) / 52, 0, 1));
    const away: Point = [Math.sin(angle) * side, -Math.cos(angle) * side];
    const [from, to]: [Point[], Point[]] = [[], []];
    for (let i = 0; i <= 8; i++) {
      const u = half * ((2 * i) / 8 - 1);
      const x = root[0] + along[0] * v * length + out[0] * u;
      const y = root[1] + along[1] * v * length + out[1] * u;
      from.push([origin[0] + x * side * density, origin[1] + y * density]);
      to.push([at[0] + away[0] * u * s * filled, at[1] + away[1] * u * s * filled]);
    }
    source.push(from);
    target.push(to);
  }
  return { source, target };
}

/**
 * The arms for drawn sleeves. They do not change unless a hand is on the hip, which would crease the cloth too
 * sharply.
 */
export function armsFor(rig: Rig): Readonly<Record<'left' | 'right', ArmPose>> {
  const pose = (name: 'left' | 'right', side: -1 | 1): ArmPose =>
    rig.poses[name].onHip
      ? armFromAngles(shoulderJoint(rig.place, rig.proportions, side), side, 0.24, 0.12)
      : rig.poses[name];
  return { left: pose('left', -1), right: pose('right', 1) };
}

/** Parts in drawing order: sleeves, if they are visible, then the body. */
export function carriedBy(garment: DrawnGarment, rig: Rig, manner: Manner): (readonly Carried[])[] {
  const { arms, body, frame } = garment;
  const { sleeve } = frame;
  const sleeves: Carried[] =
    arms && sleeve && manner.sleeves
      ? ([-1, 1] as const).map((side) => ({ raster: arms, mesh: sleeveMesh(garment, sleeve, rig, side) }))
      : [];
  return [...(sleeves.length > 0 ? [sleeves] : []), [{ raster: body, mesh: bodyMesh(garment, rig, manner) }]];
}
