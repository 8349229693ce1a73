import type { GarmentClass } from '../cutout/classify.js';
import type { Silhouette } from '../cutout/silhouette.js';
import { clamp, lerp, mixPoints, smoothstep, type Point, opposite } from '../drawing/geometry.js';
import type { Rig } from '../figure/rig.js';
import { bodyMesh } from './body-mesh.js';
import { ownership, piecewise, type Fit, type FittedPart } from './fit.js';

const WAIST = 304;
const CROTCH = 428;

/**
 * Half-breadth of the waistband in mask pixels. It is the broadest of the first rows, so that rows that only
 * cut belt loops do not count.
 */
function waistband(shape: Silhouette): number {
  const widths = [0.02, 0.03, 0.04, 0.05].map((share) => {
    const { from, to } = shape.extent(shape.row(share));
    return (to - from) / 2;
  });
  return Math.max(8, ...widths);
}

export function fitSkirt(shape: Silhouette, rig: Rig): Fit {
  const scale = (rig.proportions.trunk(WAIST) + 2.6) / waistband(shape);
  const bottom = Math.min(880, WAIST + shape.height * scale * 1.3);
  const height = piecewise([
    [shape.top, WAIST - 2],
    [shape.bottom, bottom],
  ]);
  const mesh = bodyMesh(shape, rig, { height, scale, bodyFrom: 310, pinch: 0 });
  return {
    garmentClass: 'skirt',
    parts: [{ part: 'body', mesh }],
    owns: ownership(shape, []),
    legwear: 0,
    armsInFront: 'all',
    hem: bottom,
  };
}

function crotchRow(shape: Silhouette): number {
  for (let y = shape.bottom - 4; y > shape.row(0.12); y--) {
    const runs = (shape.runs[y] ?? []).filter((r) => r.to - r.from > shape.width * 0.08);
    const split = runs.length >= 2 && !runs.some((r) => r.from <= shape.centre && r.to > shape.centre);
    if (!split && y < shape.row(0.92)) return y;
  }
  return shape.row(0.35);
}

interface LegFit {
  readonly height: (row: number) => number;
  readonly scale: number;
  readonly crotch: number;
}

const ROWS = 50;
const COLUMNS = 8;

interface Seams {
  readonly row: number;
  readonly outer: number;
  readonly inner: number;
}

/**
 * The outer seam and the inner seam (above the crotch, the middle line) of one side, smoothed over neighbouring
 * rows.
 */
function seams(shape: Silhouette, side: -1 | 1, crotch: number): Seams[] {
  const raw = Array.from({ length: ROWS + 1 }, (_, j): Seams => {
    const row = lerp(shape.top - 2, shape.bottom + 2, j / ROWS);
    const at = Math.round(clamp(row, shape.top + 2, shape.bottom - 3));
    const extent = shape.extent(at);
    const outer = side === 1 ? extent.to : extent.from;
    const run = (shape.runs[at] ?? []).find((r) => (side === 1 ? r.to : r.from) === outer) ?? extent;
    const inner = row > crotch ? (side === 1 ? run.from : run.to) : shape.centre;
    return { row, outer, inner };
  });
  const mean = (j: number, key: 'outer' | 'inner'): number => {
    // The inner seam jumps at the crotch, so the averaging must not reach across it.
    const above = (raw[j]?.row ?? 0) <= crotch;
    const near = raw
      .slice(Math.max(0, j - 2), j + 3)
      .filter((s) => key === 'outer' || s.row <= crotch === above);
    return near.reduce((sum, s) => sum + s[key], 0) / Math.max(1, near.length);
  };
  return raw.map(({ row }, j) => ({ row, outer: mean(j, 'outer'), inner: mean(j, 'inner') }));
}

/** One half of the trousers: hip and leg, from the outer seam (u = 1) to the middle or inner seam (u = 0). */
function legMesh(shape: Silhouette, rig: Rig, side: -1 | 1, fit: LegFit): FittedPart {
  const limb = side === 1 ? rig.legs.right : rig.legs.left;
  const source: Point[][] = [];
  const target: Point[][] = [];
  for (const { row, outer, inner } of seams(shape, side, fit.crotch)) {
    const y = fit.height(row);
    const open = row > fit.crotch;
    const legs = smoothstep(CROTCH - 26, CROTCH + 46, y);
    const along = clamp((y - 376) / 450, 0, 1);
    const axisX = limb.axisAt(along);
    const breadth = Math.max((Math.abs(outer - inner) * fit.scale) / 2, limb.breadthAt(along) + 3);
    const covering = rig.proportions.trunk(Math.min(y, 410)) + 3;
    const hip = rig.place(Math.max(Math.abs(outer - shape.centre) * fit.scale, covering) * side, y);
    const middle = rig.place(0, y);
    const [s, t]: [Point[], Point[]] = [[], []];
    for (let i = 0; i <= COLUMNS; i++) {
      // A little beyond both seams, so that the mesh includes the soft edge of the cut-out.
      const width = Math.abs(outer - inner);
      const over = 4 / Math.max(8, width);
      const uu = lerp(open ? -over : 0, 1 + over, i / COLUMNS);
      s.push([lerp(inner, outer, uu), row]);
      const onLeg: Point = [axisX + side * breadth * (2 * uu - 1), y];
      t.push(mixPoints(mixPoints(middle, hip, uu), onLeg, legs));
    }
    source.push(s);
    target.push(t);
  }
  return { part: 'body', mesh: { source, target } };
}

export function fitTrousers(shape: Silhouette, rig: Rig, garmentClass: GarmentClass): Fit {
  const half = waistband(shape);
  const scale = (rig.proportions.trunk(WAIST) + 2.6) / half;
  const crotch = crotchRow(shape);
  const inseam = (shape.bottom - crotch) / (half * 2);
  // Full-length trousers have an inseam of about twice their flat waist.
  const hem = lerp(CROTCH, 836, clamp(inseam / 1.85, 0.12, 1));
  const height = piecewise([
    [shape.top, WAIST - 2],
    [crotch, CROTCH + 8],
    [shape.bottom, hem],
  ]);
  const fit = { height, scale, crotch };
  const back = rig.weightSide === 'right' ? -1 : 1;
  return {
    garmentClass,
    parts: [legMesh(shape, rig, back, fit), legMesh(shape, rig, opposite(back), fit)],
    owns: ownership(shape, []),
    legwear: clamp((hem - 372) / 456 - 0.07, 0.12, 1),
    lining: true,
    armsInFront: 'all',
    hem,
  };
}
