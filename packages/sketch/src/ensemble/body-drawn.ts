import { lerp, smoothstep, type Point } from '../drawing/geometry.js';
import { piecewise } from '../dressing/fit.js';
import type { Mesh } from '../dressing/mesh.js';
import type { Rig } from '../figure/rig.js';
import type { DrawnGarment } from './paint-to-wear.js';

/** How a garment is worn together with others. */
export interface Manner {
  /** A sleeve that another one covers is left out, so that two sleeves never lie on one arm. */
  readonly sleeves: boolean;
  /** The hem goes into the waistband of the garment below. */
  readonly tucked: boolean;
  /** Another garment lies over it. */
  readonly under: boolean;
}

/**
 * Figure units per centimetre across the shoulders. `FILLED` says how much narrower cloth looks once a body
 * fills it.
 */
export const across = (rig: Rig): number => rig.proportions.shoulder / 20.5;
const FILLED = 0.76;
/** Free-hanging cloth keeps more of its breadth. */
const HANGING: Readonly<Record<string, number>> = { cape: 1.02, kaftan: 0.92, abaya: 0.86 };
/** Cloth under other cloth is pressed to the body. Otherwise it would show at both sides. */
const PRESSED = 0.84;

/**
 * Converts centimetres below the neck point to a height on the figure. Below the waist it is stretched, because
 * a croquis has long legs.
 */
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

/**
 * Half-breadth that a body needs at a height: that of the trunk, or below it, that of the leg that stands
 * farther out.
 */
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

/** Figure units per centimetre of breadth, at a height of the garment. `at` is that height on the figure. */
function breadth(garment: DrawnGarment, rig: Rig, y: number, at: number, under: boolean): number {
  const { frame, from } = garment;
  const least = needed(rig, at) / Math.max(6, frame.half(Math.min(y, frame.hem)));
  if (from === 'waist') return Math.max(((rig.proportions.trunk(300) + 3) / frame.half(0)) * 0.98, least);
  const s = across(rig);
  const seen = HANGING[garment.spec.category.key] ?? FILLED;
  const filled = lerp(1, seen * (under ? PRESSED : 1), smoothstep(frame.shoulder[1], 22, y));
  // Over hips and seat the cloth is at least as broad as the body. The shoulders keep their cut.
  const covering = y > 22 && y < frame.hem + 12 ? least / s : 0;
  return s * Math.max(filled, Math.min(1.7, covering));
}

export function bodyMesh(garment: DrawnGarment, rig: Rig, { tucked, under }: Manner): Mesh {
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
    const factor = breadth(garment, rig, y, at, under);
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
