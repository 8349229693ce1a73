import { erode, greyOf, planeOf, type Mask } from '../cutout/mask.js';
import { toPixels, type Framing } from '../dressing/framing.js';
import { blank, drawMesh } from '../dressing/mesh.js';
import { lerp, smoothstep, type Point } from '../drawing/geometry.js';
import type { Raster } from '../drawing/rasterise.js';
import { buildRig, type ArmPose, type Rig } from '../figure/rig.js';
import type { KnownSource } from './known-source.js';
import { mendCloth } from './mend.js';
import type { Canvas } from './subject.js';

/**
 * Half-breadth of a body at a height: the shoulders' half-breadth down to the shoulders, the trunk's below
 * them.
 */
const breadth = ({ proportions }: Rig, y: number): number =>
  lerp(proportions.shoulder, proportions.trunk(Math.min(410, Math.max(y, 200))), smoothstep(166, 206, y));

/** Sleeves: cloth lies on the upper and on the lower arm. */
export function sleevesOf({ cloth, rig, framing }: KnownSource): 'long' | 'short' | 'none' {
  const covered = (along: number): boolean =>
    [rig.arms.left, rig.arms.right].every((arm) => {
      const [x, y] = toPixels(framing, arm.point(along, 0)).map(Math.round);
      if (x === undefined || y === undefined || x < 0 || y < 0 || x >= cloth.width || y >= cloth.height)
        return true;
      return cloth.data[y * cloth.width + x] === 1;
    });
  if (!covered(0.32)) return 'none';
  return covered(0.72) ? 'long' : 'short';
}

/** Over this distance beyond the trunk's edge, in figure units, the cloth passes from the trunk to the arm. */
const ARMHOLE = 32;

/**
 * Maps a distance from the middle line of one body to that of another. On the trunk it scales in proportion;
 * sleeves only move with the shoulders.
 */
function across(from: Rig, to: Rig, sleeves: boolean): (x: number, y: number) => number {
  const grown = to.proportions.shoulder - from.proportions.shoulder;
  return (x, y) => {
    const [edge, wanted] = [breadth(from, y), breadth(to, y)];
    if (x <= edge) return (x * wanted) / edge;
    return x + lerp(wanted - edge, grown, sleeves ? smoothstep(edge, edge + ARMHOLE, x) : 0);
  };
}

/** Below the hips the cloth follows the legs. Between the legs it stretches from one to the other. */
function onLegs(from: Rig, to: Rig): (x: number, y: number) => number {
  const at = (rig: Rig, name: 'left' | 'right', y: number): number =>
    rig.legs[name].axisAt(Math.min(1, Math.max(0, (y - 376) / 450)));
  return (x, y) => {
    const along = Math.min(1, Math.max(0, (y - 376) / 450));
    const ratio = to.legs.left.breadthAt(along) / from.legs.left.breadthAt(along);
    const [l0, r0] = [at(from, 'left', y), at(from, 'right', y)];
    const [l1, r1] = [at(to, 'left', y), at(to, 'right', y)];
    if (x <= l0) return l1 + (x - l0) * ratio;
    if (x >= r0) return r1 + (x - r0) * ratio;
    return r0 - l0 < 4 ? x + (l1 - l0) : lerp(l1, r1, (x - l0) / (r0 - l0));
  };
}

/** Maps each point of the old wearer's cloth to the new wearer, in figure units. */
function mapping(from: Rig, to: Rig, sleeves: boolean): (x: number, y: number) => Point {
  const side = across(from, to, sleeves);
  const legs = onLegs(from, to);
  return (x, y) => {
    const out = Math.abs(x);
    const trunk = to.place(Math.sign(x) * side(out, y), y);
    const edge = breadth(from, y);
    // A cuff beside the hips follows its arm, not the legs.
    const cuff = sleeves ? smoothstep(edge + 8, edge + ARMHOLE, out) * (1 - smoothstep(470, 520, y)) : 0;
    const low = smoothstep(400, 470, y) * (1 - cuff);
    return [lerp(trunk[0], legs(from.place(x, y)[0], y), low), trunk[1]];
  };
}

/** The new wearer in the old wearer's pose. The arms follow the mapped sleeves. */
export function inPoseOf(source: KnownSource, spec: Rig['spec']): Rig {
  const { rig: old } = source;
  const posed = { ...spec, stance: old.spec.stance, lean: old.spec.lean };
  const first = buildRig(posed);
  const sleeves = sleevesOf(source) !== 'none';
  if (!sleeves) return first;
  const grown = first.proportions.shoulder - old.proportions.shoulder;
  const moved = (arm: ArmPose, side: -1 | 1): ArmPose => ({
    ...arm,
    elbow: [arm.elbow[0] + grown * side, arm.elbow[1]],
    wrist: [arm.wrist[0] + grown * side, arm.wrist[1]],
  });
  return buildRig(posed, { left: moved(old.poses.left, -1), right: moved(old.poses.right, 1) });
}

const ROWS = 90;
const COLUMNS = 60;
const REACH = 270;

/** The cloth alone, the rest transparent, with the hidden parts filled in and a slightly soft rim. */
export async function clothOf(picture: Raster, cloth: Mask, front: Mask, middle: number): Promise<Raster> {
  const { width, height } = picture;
  const raster: Raster = { data: new Uint8Array(picture.data), width, height };
  // Hair and ink reach a pixel or two over the outline. They must not count as cloth.
  const hidden = { ...front, data: front.data.map((v) => 1 - v) };
  const clear = erode(hidden, Math.max(2, Math.round(height / 190))).data;
  const known: Mask = { ...cloth, data: cloth.data.map((v, i) => v & (clear[i] ?? 0)) };
  mendCloth(raster, known, cloth, middle);
  const alpha = await planeOf(greyOf(cloth).blur(Math.max(0.8, height / 800)));
  // Moves the blurred rim in by half a pixel and makes it steep again.
  const steep = Uint8ClampedArray.from({ length: 256 }, (_, v) => (v - 80) * 1.8);
  for (let i = 0; i < width * height; i++) raster.data[i * 4 + 3] = steep[alpha[i] ?? 0] ?? 0;
  return raster;
}

/** Lays the cloth of a composed picture onto another body in the same pose: one transparent layer. */
export async function carryOver(
  source: KnownSource,
  to: Rig,
  framing: Framing,
  canvas: Canvas,
): Promise<Raster> {
  const { picture, front, framing: old } = source;
  const cloth = await clothOf(picture, source.cloth, front, old.x);
  const sleeves = sleevesOf(source) !== 'none';
  const place = mapping(source.rig, to, sleeves);
  const [from, until] = [60, 905];
  const rows: Record<'source' | 'target', Point[][]> = { source: [], target: [] };
  for (let j = 0; j <= ROWS; j++) {
    const y = lerp(from, until, j / ROWS);
    const xs = Array.from({ length: COLUMNS + 1 }, (_, i) => lerp(-REACH, REACH, i / COLUMNS));
    rows.source.push(xs.map((x) => toPixels(source.framing, source.rig.place(x, y))));
    rows.target.push(xs.map((x) => toPixels(framing, place(x, y))));
  }
  const layer = blank(canvas.width, canvas.height);
  drawMesh(layer, cloth, rows);
  return layer;
}
