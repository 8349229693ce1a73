import { bodyHalf, hasSleeves, type GarmentClass } from '../cutout/classify.js';
import type { Silhouette } from '../cutout/silhouette.js';
import { clamp, distance, type Point } from '../drawing/geometry.js';
import { shoulderHeight } from '../figure/body.js';
import type { Rig } from '../figure/rig.js';
import { bodyMesh } from './body-mesh.js';
import { ownership, piecewise, type Fit, type FittedPart } from './fit.js';
import { armForSleeve, findSleeve, sleeveMesh, type Sleeve } from './sleeve.js';

/** A croquis has longer legs than a person, so cloth below the waist is lengthened by this factor. */
const BELOW_WAIST = 1.32;

/**
 * The first row at which a sleeveless garment has its full breadth under the arm, and the half-breadth there.
 */
function chest(shape: Silhouette): { row: number; half: number } {
  const half = (y: number): number => {
    const { from, to } = shape.extent(y);
    return (to - from) / 2;
  };
  const rows = Array.from({ length: 30 }, (_, i) => shape.row(0.02 + (0.36 * i) / 29));
  const most = Math.max(...rows.slice(0, 16).map(half));
  const row = rows.find((y) => half(y) > most * 0.97) ?? shape.row(0.15);
  return { row, half: half(row) };
}

function waistRow(shape: Silhouette, from: number): number | undefined {
  const limit = from + (shape.bottom - from) * 0.62;
  let best: { row: number; width: number } | undefined;
  for (let y = Math.round(from); y < limit; y++) {
    const { from: left, to } = shape.extent(y);
    if (!best || to - left < best.width) best = { row: y, width: to - left };
  }
  const start = shape.extent(Math.round(from + 2));
  return best && best.width < (start.to - start.from) * 0.94 && best.row > from + 10 ? best.row : undefined;
}

function sleeveless(shape: Silhouette, rig: Rig, garmentClass: GarmentClass): Fit {
  const { row, half } = chest(shape);
  const scale = (rig.proportions.trunk(208) + 3.5) / half;
  const waist = waistRow(shape, row);
  const naturalWaist = waist === undefined ? 0 : 206 + (waist - row) * scale;
  const rows: Point[] = [
    [shape.top, 147.5],
    [row, 206],
  ];
  if (waist !== undefined && naturalWaist > 235)
    rows.push([waist, clamp(300, naturalWaist * 0.9, naturalWaist * 1.2)]);
  const last = rows[rows.length - 1] ?? [row, 206];
  const stretch = garmentClass === 'dress' ? BELOW_WAIST : 1.14;
  rows.push([shape.bottom, Math.min(880, last[1] + (shape.bottom - last[0]) * scale * stretch)]);
  const height = piecewise(rows);
  return {
    garmentClass,
    parts: [
      {
        part: 'body',
        mesh: bodyMesh(shape, rig, { height, scale, bodyFrom: 214, pinch: 0.02 }),
      },
    ],
    owns: ownership(shape, []),
    legwear: garmentClass === 'dress' ? 0 : 0.9,
    armsInFront: 'forearms',
    hem: height(shape.bottom),
  };
}

/**
 * How far, in figure units, a garment must be raised so that its shoulders cover the figure's shoulders. These
 * may slope less than the garment's.
 */
function liftOver(shape: Silhouette, rig: Rig, scale: number, shoulderRow: number): number {
  const bare = [0.45, 0.6, 0.75, 0.88].map((share) => {
    const x = rig.proportions.shoulder * share;
    const skin = shoulderHeight(rig, x);
    const row = (shape.topAt(shape.centre - x / scale) + shape.topAt(shape.centre + x / scale)) / 2;
    return 157 + (row - shoulderRow) * scale - skin;
  });
  return Math.min(14, Math.max(0, ...bare) + 1.5);
}

/** Fits tops, outerwear and dresses, which hang from the shoulders. */
export function fitUpper(shape: Silhouette, rig: Rig, garmentClass: GarmentClass): Fit {
  if (!hasSleeves(shape)) return sleeveless(shape, rig, garmentClass);
  const half = bodyHalf(shape);
  const found = [findSleeve(shape, -1, half), findSleeve(shape, 1, half)];
  const sleeves = found.filter((s): s is Sleeve => s !== undefined);
  const [left, right] = found;
  const scale = (rig.proportions.shoulder * 0.95) / half;
  const shoulderRow = (shape.topAt(shape.centre - half * 0.93) + shape.topAt(shape.centre + half * 0.93)) / 2;
  const shoulder = 157 - liftOver(shape, rig, scale, shoulderRow);
  const top = Math.max(116, shoulder - (shoulderRow - shape.top) * scale);
  const stretch = garmentClass === 'dress' ? 1.24 : 1.1;
  const bottom = Math.min(880, shoulder + (shape.bottom - shoulderRow) * scale * stretch);
  const height = piecewise([
    [shape.top, top],
    [shoulderRow, shoulder],
    [shape.bottom, bottom],
  ]);
  // A coat is shaped at the waist, but looks like a box when laid out flat.
  const tailored = garmentClass === 'outerwear' ? 0.09 : 0;
  const pinch = (rig.spec.gender === 'FEMALE' ? 0.05 : 0.01) + tailored;
  const apart = sleeves.length === 2 ? { apart: half * 1.3 } : {};
  const body: FittedPart = {
    part: 'body',
    mesh: bodyMesh(shape, rig, { height, scale, ...apart, bodyFrom: 214, pinch }),
  };
  const parts: FittedPart[] = sleeves.map((sleeve) => {
    const joint = rig.place(sleeve.side * half * 0.95 * scale, shoulder);
    const pose = armForSleeve(rig, sleeve);
    return {
      part: sleeve.side === -1 ? 'left' : 'right',
      mesh: sleeveMesh(sleeve, pose, scale, joint),
    };
  });
  const short = sleeves.every((s) => distance(s.root, s.cuff) * scale < 150);
  return {
    garmentClass,
    parts: [...parts, body],
    owns: ownership(shape, sleeves),
    ...(left && right ? { arms: { left: armForSleeve(rig, left), right: armForSleeve(rig, right) } } : {}),
    legwear: garmentClass === 'dress' ? 0 : 0.9,
    armsInFront: short ? 'forearms' : 'none',
    collar: top + 13,
    hem: bottom,
  };
}
