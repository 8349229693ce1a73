import { distance, lerp, type Point } from '../drawing/geometry.js';
import type { Carried } from '../dressing/boxed-layer.js';
import type { Mesh } from '../dressing/mesh.js';
import { armFromAngles, shoulderJoint, type ArmPose, type Rig } from '../figure/rig.js';
import type { SleeveFrame } from '../garments/frame.js';
import { across, bodyMesh, type Manner } from './body-drawn.js';
import type { DrawnGarment } from './paint-to-wear.js';

/** Lays a sleeve along the arm, round the elbow. */
function sleeveMesh(garment: DrawnGarment, sleeve: SleeveFrame, rig: Rig, side: -1 | 1): Mesh {
  const { frame, density, origin } = garment;
  const arm = rig.poses[side === 1 ? 'right' : 'left'];
  const s = across(rig);
  const cuff: Point = [(sleeve.outer[0] + sleeve.inner[0]) / 2, (sleeve.outer[1] + sleeve.inner[1]) / 2];
  const opening = distance(sleeve.outer, sleeve.inner);
  const wide = opening > 24;
  const root: Point = [
    cuff[0] - sleeve.down[0] * distance(cuff, frame.shoulder),
    cuff[1] - sleeve.down[1] * distance(cuff, frame.shoulder),
  ];
  const length = distance(root, cuff);
  const n: Point = [sleeve.down[1], -sleeve.down[0]];
  // A set-in sleeve is filled by the arm; a kimono's hangs open.
  const filled = wide ? 0.9 : 0.66;
  // The seam's upper end comes to lie where the body's shoulder ends.
  const off = (frame.shoulder[0] - root[0]) * n[0] + (frame.shoulder[1] - root[1]) * n[1];
  const joint = rig.place((frame.shoulder[0] - off * filled) * s * side, 158);
  const upper = distance(joint, arm.elbow);
  const whole = upper + distance(arm.elbow, arm.wrist);
  const laid = length > 52 && !wide ? whole * 1.01 : Math.min(whole, length * s * 1.18);
  const half = Math.max(opening / 2, 13) + 5;
  const [source, target]: [Point[][], Point[][]] = [[], []];
  for (let j = 0; j <= 28; j++) {
    const v = lerp(-0.2, 1.12, j / 28);
    const down = v * laid;
    const first = down <= upper;
    const t = first ? down / upper : (down - upper) / Math.max(1, whole - upper);
    const [a, b] = first ? [joint, arm.elbow] : [arm.elbow, arm.wrist];
    const at: Point = [lerp(a[0], b[0], t), lerp(a[1], b[1], t)];
    const angle1 = Math.atan2(arm.elbow[1] - joint[1], arm.elbow[0] - joint[0]);
    const angle2 = Math.atan2(arm.wrist[1] - arm.elbow[1], arm.wrist[0] - arm.elbow[0]);
    const angle = lerp(angle1, angle2, Math.min(1, Math.max(0, (down - upper + 26) / 52)));
    // Across the arm, away from the body.
    const out: Point = [Math.sin(angle) * side, -Math.cos(angle) * side];
    const [from, to]: [Point[], Point[]] = [[], []];
    for (let i = 0; i <= 8; i++) {
      const u = half * ((2 * i) / 8 - 1);
      const x = root[0] + sleeve.down[0] * v * length + n[0] * u;
      const y = root[1] + sleeve.down[1] * v * length + n[1] * u;
      from.push([origin[0] + x * side * density, origin[1] + y * density]);
      to.push([at[0] + out[0] * u * s * filled, at[1] + out[1] * u * s * filled]);
    }
    source.push(from);
    target.push(to);
  }
  return { source, target };
}

/** The arm that a sleeve is worn on: as it was, unless the hand is on the hip, which would crease drawn cloth too sharply. */
export function armsFor(rig: Rig): Readonly<Record<'left' | 'right', ArmPose>> {
  const pose = (name: 'left' | 'right', side: -1 | 1): ArmPose =>
    rig.poses[name].onHip
      ? armFromAngles(shoulderJoint(rig.place, rig.proportions, side), side, 0.24, 0.12)
      : rig.poses[name];
  return { left: pose('left', -1), right: pose('right', 1) };
}

/** Parts in the order in which they are laid: sleeves, if they are to be seen, then the body. */
export function carriedBy(garment: DrawnGarment, rig: Rig, manner: Manner): (readonly Carried[])[] {
  const { arms, body, frame } = garment;
  const { sleeve } = frame;
  const sleeves: Carried[] =
    arms && sleeve && manner.sleeves
      ? ([-1, 1] as const).map((side) => ({ raster: arms, mesh: sleeveMesh(garment, sleeve, rig, side) }))
      : [];
  return [...(sleeves.length > 0 ? [sleeves] : []), [{ raster: body, mesh: bodyMesh(garment, rig, manner) }]];
}
