import type { Raster } from '../drawing/rasterise.js';
import { rasterise } from '../drawing/rasterise.js';
import { distance, lerp, smoothstep, type Point } from '../drawing/geometry.js';
import { group, SvgSheet } from '../drawing/svg-sheet.js';
import type { Carried } from '../dressing/boxed-layer.js';
import { piecewise } from '../dressing/fit.js';
import type { Mesh } from '../dressing/mesh.js';
import { armFromAngles, shoulderJoint, type ArmPose, type Rig } from '../figure/rig.js';
import { CUTS } from '../garments/cuts.js';
import { Cloth } from '../garments/cloth.js';
import { drawGarment, SKIRTS, upperPieces } from '../garments/draw-garment.js';
import type { Drawing } from '../garments/drawing.js';
import type { Frame, SleeveFrame } from '../garments/frame.js';
import { fabricOf } from '../garments/fabric.js';
import type { GarmentSpec } from '../garments/garment-spec.js';
import { drawSkirt } from '../garments/lower.js';
import { SeededRandom } from '../drawing/seeded-random.js';
import { watercolour } from '../raster/paper.js';

/** A garment of our own hand whose cut is known: it is laid onto the figure by its cut, not by its outline. */
export interface DrawnGarment {
  readonly spec: GarmentSpec;
  readonly body: Raster;
  readonly arms?: Raster;
  readonly frame: Pick<Frame, 'waist' | 'hem' | 'half' | 'shoulder'> & { readonly sleeve?: SleeveFrame };
  /** Pixels of both rasters per centimetre, and where the neck point is in them. */
  readonly density: number;
  readonly origin: Point;
  /** Whether that point is the neck's or the middle of the waist. */
  readonly from: 'neck' | 'waist';
}

/** What is drawn about a neck point without a cut: waist, hem and half-breadths at them. */
const FORMS: Readonly<Record<string, readonly [waist: number, hem: number, half: (y: number) => number]>> = {
  saree: [43, 142, (y) => (y < 44 ? 19 : lerp(24, 33, smoothstep(60, 138, y)))],
  swimsuit: [40, 75, () => 19],
  jumpsuit: [40, 142, (y) => (y < 40 ? 19 : 26)],
  dungarees: [41, 138, (y) => (y < 41 ? 17 : 25.6)],
};

/** Whether a garment can be laid on by its cut. */
export const hangsByCut = ({ category }: GarmentSpec): boolean =>
  Object.hasOwn(CUTS, category.silhouette) ||
  Object.hasOwn(FORMS, category.silhouette) ||
  SKIRTS.includes(category.silhouette);

async function paint(
  sheet: SvgSheet,
  svg: string,
  box: Omit<Drawing, 'svg'>,
  density: number,
): Promise<Raster> {
  const [width, height] = [
    Math.ceil((box.right - box.left) * density),
    Math.ceil((box.bottom - box.top) * density),
  ];
  const transform = `scale(${density}) translate(${-box.left} ${-box.top})`;
  const layer = await rasterise(sheet.document(width, height, group({ transform }, svg)));
  watercolour(layer, 6, 2.6, density / 6, 31);
  return layer;
}

/** @param density pixels per centimetre */
export async function paintToWear(spec: GarmentSpec, seed: number, density: number): Promise<DrawnGarment> {
  const sheet = new SvgSheet();
  const pieces = upperPieces(sheet, spec, seed, true);
  if (pieces) {
    const { box, frame } = pieces;
    return {
      spec,
      body: await paint(sheet, pieces.body, box, density),
      ...(pieces.arms ? { arms: await paint(sheet, pieces.arms, box, density) } : {}),
      frame,
      density,
      origin: [-box.left * density, -box.top * density],
      from: 'neck',
    };
  }
  const drawing = drawGarment(sheet, spec, seed, true);
  const origin: Point = [-drawing.left * density, -drawing.top * density];
  const body = await paint(sheet, drawing.svg, drawing, density);
  if (SKIRTS.includes(spec.category.silhouette)) {
    const { frame } = drawSkirt(
      new Cloth(new SvgSheet(), fabricOf(spec), new SeededRandom(seed)),
      spec.category.silhouette,
      spec,
    );
    return { spec, body, frame, density, origin, from: 'waist' };
  }
  const [waist, hem, half] = FORMS[spec.category.silhouette] ?? [42, 100, () => 24];
  return {
    spec,
    body,
    frame: { waist, hem, half, shoulder: [20, 4] },
    density,
    origin,
    from: 'neck',
  };
}

/** Figure units per centimetre across the shoulders, and how much narrower cloth is seen once a body fills it. */
const across = (rig: Rig): number => rig.proportions.shoulder / 20.5;
const FILLED = 0.76;

/** Centimetres below the neck point → height on the figure. A croquis has long legs: below the waist it is stretched. */
const heights = ({ frame, from }: DrawnGarment): ((y: number) => number) => {
  if (from === 'waist') {
    return piecewise([
      [0, 297],
      [28, 432],
      [104, 864],
    ]);
  }
  const below = Math.min(5.5, (884 - 302) / Math.max(20, frame.hem + 3 - frame.waist));
  return piecewise([
    [-15, 97],
    [0, 140.5],
    [frame.shoulder[1], 156],
    [24, 214],
    [frame.waist, 301],
    [frame.waist + 100, 301 + 100 * below],
  ]);
};

export const hemOf = (garment: DrawnGarment): number => heights(garment)(garment.frame.hem);

/** Half-breadth that a body needs at a height: the trunk, and below it whichever leg stands farther out. */
function needed(rig: Rig, y: number): number {
  const trunk = rig.proportions.trunk(Math.min(410, y)) + 3;
  if (y < 440) return trunk;
  const along = Math.min(1, (y - 372) / 456);
  const middle = rig.place(0, y)[0];
  const legs = [rig.legs.left, rig.legs.right].map(
    (leg) => Math.abs(leg.axisAt(along) - middle) + leg.breadthAt(along) + 5,
  );
  return lerp(trunk, Math.max(trunk * 0.8, ...legs), smoothstep(440, 520, y));
}

/** Figure units per centimetre across at a height of the garment, `at` its height on the figure. */
function breadth(garment: DrawnGarment, rig: Rig, y: number, at: number): number {
  const { frame, from } = garment;
  const least = needed(rig, at) / Math.max(6, frame.half(Math.min(y, frame.hem)));
  if (from === 'waist') return Math.max(((rig.proportions.trunk(300) + 3) / frame.half(0)) * 0.98, least);
  const s = across(rig);
  const filled = lerp(1, FILLED, smoothstep(frame.shoulder[1], 22, y));
  // Over hips and seat the cloth is at least as broad as the body; the shoulders keep their cut.
  const covering = y > 22 && y < frame.hem + 12 ? least / s : 0;
  return s * Math.max(filled, Math.min(1.7, covering));
}

/** @param tucked ends the cloth below the waist, inside the waistband */
function bodyMesh(garment: DrawnGarment, rig: Rig, tucked: boolean): Mesh {
  const { frame, density, origin, body } = garment;
  const height = heights(garment);
  const top = -origin[1] / density;
  const bottom = (body.height - origin[1]) / density;
  const low = tucked ? Math.min(bottom, frame.waist + 7) : bottom;
  const reach = origin[0] / density;
  const source: Point[][] = [];
  const target: Point[][] = [];
  const rows = 56;
  const columns = 18;
  for (let j = 0; j <= rows; j++) {
    const y = lerp(top, low, j / rows);
    const at = height(y);
    const factor = breadth(garment, rig, y, at);
    const [from, to]: [Point[], Point[]] = [[], []];
    for (let i = 0; i <= columns; i++) {
      const x = reach * ((2 * i) / columns - 1);
      from.push([origin[0] + x * density, origin[1] + y * density]);
      to.push(rig.place(x * factor, at));
    }
    source.push(from);
    target.push(to);
  }
  return { source, target };
}

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
export function carriedBy(
  garment: DrawnGarment,
  rig: Rig,
  { sleeves: withSleeves, tucked }: { readonly sleeves: boolean; readonly tucked: boolean },
): (readonly Carried[])[] {
  const { arms, body, frame } = garment;
  const { sleeve } = frame;
  const sleeves: Carried[] =
    arms && sleeve && withSleeves
      ? ([-1, 1] as const).map((side) => ({ raster: arms, mesh: sleeveMesh(garment, sleeve, rig, side) }))
      : [];
  return [...(sleeves.length > 0 ? [sleeves] : []), [{ raster: body, mesh: bodyMesh(garment, rig, tucked) }]];
}
