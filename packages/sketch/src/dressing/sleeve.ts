import { distance, lerp, mixPoints, type Point } from '../drawing/geometry.js';
import type { Silhouette } from '../cutout/silhouette.js';
import { armFromAngles, shoulderJoint, type ArmPose, type Rig } from '../figure/rig.js';
import type { Mesh } from './mesh.js';

export interface Sleeve {
  readonly side: -1 | 1;
  /** The upper end of the shoulder seam, and the middle of the cuff, in mask pixels. */
  readonly root: Point;
  readonly cuff: Point;
  /** Widest half-breadth across the sleeve, mask pixels. */
  readonly half: number;
  readonly owns: Uint8Array;
}

/** The first row, from below, at which the body's edge runs out into the sleeve. */
function armpit(shape: Silhouette, side: -1 | 1, half: number): number {
  for (let y = shape.row(0.62); y > shape.row(0.06); y--) {
    const run = shape.body(y, half);
    const reach = side === 1 ? run.to - shape.centre : shape.centre - run.from;
    if (reach > half * 1.16) return y;
  }
  return shape.row(0.2);
}

export function findSleeve(shape: Silhouette, side: -1 | 1, half: number): Sleeve | undefined {
  const { mask, centre } = shape;
  const pit = armpit(shape, side, half);
  const root: Point = [centre + side * half * 0.95, shape.topAt(centre + side * half * 0.95)];
  const owns = new Uint8Array(mask.data.length);
  const members: Point[] = [];
  for (let y = shape.top; y <= shape.bottom; y++) {
    const seam = lerp(half * 0.95, half * 1.02, (y - root[1]) / Math.max(1, pit - root[1]));
    const body = shape.body(y, half);
    for (let x = 0; x < mask.width; x++) {
      const i = y * mask.width + x;
      if (!mask.data[i]) continue;
      const out = (x - centre) * side;
      const apart = side === 1 ? x >= body.to : x < body.from;
      // Below the armpit only parts apart from the body count as sleeve, unless body and sleeve touch in this
      // row.
      const merged = (side === 1 ? body.to - centre : centre - body.from) > half * 1.4;
      if (out > half * 0.9 && (y < pit ? out > seam : apart || (merged && out > half * 1.02))) {
        owns[i] = 1;
        members.push([x, y]);
      }
    }
  }
  if (members.length < mask.data.length * 0.012) return undefined;
  const far = members
    .sort((p, q) => distance(q, root) - distance(p, root))
    .slice(0, Math.ceil(members.length * 0.06));
  const cuff: Point = [
    far.reduce((s, p) => s + p[0], 0) / far.length,
    far.reduce((s, p) => s + p[1], 0) / far.length,
  ];
  const length = distance(root, cuff);
  if (length < half * 0.45) return undefined;
  const direction: Point = [(cuff[0] - root[0]) / length, (cuff[1] - root[1]) / length];
  let widest = 0;
  for (const [x, y] of members) {
    const across = Math.abs((x - root[0]) * -direction[1] + (y - root[1]) * direction[0]);
    if (across > widest) widest = across;
  }
  return { side, root, cuff, half: widest, owns };
}

/** Radians outward from straight down. */
const slant = (sleeve: Sleeve): number =>
  Math.atan2((sleeve.cuff[0] - sleeve.root[0]) * sleeve.side, sleeve.cuff[1] - sleeve.root[1]);

/** The arm follows the sleeve, as close to the body as the cloth allows. */
export function armForSleeve(rig: Rig, sleeve: Sleeve): ArmPose {
  const upper = Math.min(0.36, Math.max(0.12, slant(sleeve) * 0.72));
  return armFromAngles(
    shoulderJoint(rig.place, rig.proportions, sleeve.side),
    sleeve.side,
    upper,
    upper - 0.1,
  );
}

const ROWS = 26;
const COLUMNS = 8;

/** Lays the sleeve along the arm. `scale` is figure units per mask pixel. */
export function sleeveMesh(sleeve: Sleeve, arm: ArmPose, scale: number, shoulder: Point): Mesh {
  const { root, cuff, half } = sleeve;
  const length = distance(root, cuff);
  const d: Point = [(cuff[0] - root[0]) / length, (cuff[1] - root[1]) / length];
  const n: Point = [-d[1], d[0]];
  const upper = distance(shoulder, arm.elbow);
  const whole = upper + distance(arm.elbow, arm.wrist);
  const natural = length * scale;
  // A long sleeve always ends at the wrist, whatever its proportions in the photograph. A short one keeps its
  // length.
  const laid = natural > whole * 0.64 ? whole * 1.0 : natural;
  const axis = (distanceDown: number): { at: Point; angle: number } => {
    const a1 = Math.atan2(arm.elbow[1] - shoulder[1], arm.elbow[0] - shoulder[0]);
    const a2 = Math.atan2(arm.wrist[1] - arm.elbow[1], arm.wrist[0] - arm.elbow[0]);
    const bend = Math.min(1, Math.max(0, (distanceDown - upper + 22) / 44));
    const at =
      distanceDown <= upper
        ? mixPoints(shoulder, arm.elbow, distanceDown / upper)
        : mixPoints(arm.elbow, arm.wrist, (distanceDown - upper) / (whole - upper));
    return { at, angle: lerp(a1, a2, bend) };
  };
  const source: Point[][] = [];
  const target: Point[][] = [];
  for (let j = 0; j <= ROWS; j++) {
    const v = -0.24 + (1.34 * j) / ROWS;
    const { at, angle } = axis(v * laid);
    const across: Point = [-Math.sin(angle), Math.cos(angle)];
    const [s, t]: [Point[], Point[]] = [[], []];
    for (let i = 0; i <= COLUMNS; i++) {
      const u = ((2 * i) / COLUMNS - 1) * (half + 4);
      s.push([root[0] + d[0] * v * length + n[0] * u, root[1] + d[1] * v * length + n[1] * u]);
      t.push([at[0] + across[0] * u * scale, at[1] + across[1] * u * scale]);
    }
    source.push(s);
    target.push(t);
  }
  return { source, target };
}
