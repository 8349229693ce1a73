import { shade } from '../drawing/colour.js';
import { outline, polygon, trace } from '../drawing/curve.js';
import { lerp, type Point } from '../drawing/geometry.js';
import { path } from '../drawing/svg-sheet.js';
import { hipLine, trunkLine } from './body.js';
import { stroke, type Pens } from './pens.js';
import { SIDES, type Rig } from './rig.js';

/** Where the legs part from the hips, as a share of the leg's length. */
const PART = 0.1;

function leg(
  pens: Pens,
  rig: Rig,
  name: 'left' | 'right',
  to: number,
  colour: string,
  waist: number,
  ease: number,
): string {
  const limb = rig.legs[name];
  const s = limb.side;
  const outer = hipLine(rig, s, waist, to, ease);
  const inner = limb.edge(-1, PART, to, ease);
  const cloth = [...trace(outer, 4), ...trace(inner, 4).reverse(), rig.place(0, 430), rig.place(0, waist)];
  const dim = limb.sliver(0.2 * s, s, s === 1 ? 0.02 : 0.13, to, ease);
  return [
    path(polygon(cloth), { fill: colour }),
    path(outline(dim), { fill: shade(colour, -12, 1.1), 'fill-opacity': 0.62 }),
    path(outline(limb.sliver(-0.25 * s, -0.7 * s, 0.08, to * 0.94, ease)), {
      fill: shade(colour, 9),
      'fill-opacity': 0.4,
    }),
    stroke(pens, outer, 1.7, { ends: [0.4, 0.5] }),
    stroke(pens, [rig.place(2 * s, 428), ...inner], 1.4, { ends: [0.3, 0.5] }),
    stroke(pens, [limb.point(to, -1, ease), limb.point(to, 0, ease + 2), limb.point(to, 1, ease)], 1.2, {
      ends: [0.6, 0.6],
    }),
  ].join('');
}

/** Close-fitting trousers or shorts: `to` is where on the leg they end, 0–1. */
export function drawLegwear(pens: Pens, rig: Rig, to: number, lining?: string): string {
  const waist = 331;
  const colour = lining ?? rig.spec.wear.bottom;
  const back = rig.weightSide === 'left' ? 'right' : 'left';
  const ease = rig.spec.gender === 'MALE' ? 4.5 : 2.2;
  const edge = hipLine(rig, 1, waist + 3, 0.26, ease);
  const shadeEdge = edge.map(([x, y], i): Point => {
    const depth = Math.sin((Math.PI * (i + 1)) / (edge.length + 1));
    return [lerp(x, x - 20, depth), y];
  });
  const top = (side: -1 | 1): Point => trunkLine(rig, side, waist, waist + 20, ease)[0] ?? [0, 0];
  const fold = (points: readonly Point[]): string =>
    stroke(
      pens,
      points.map(([x, y]) => rig.place(x, y)),
      1,
      { opacity: 0.55, ends: [0.6, 0.05] },
    );
  return [
    leg(pens, rig, back, to, colour, waist, ease),
    leg(pens, rig, rig.weightSide, to, colour, waist, ease),
    path(outline([...edge, ...shadeEdge.reverse()]), { fill: shade(colour, -12, 1.1), 'fill-opacity': 0.62 }),
    stroke(pens, [top(-1), rig.place(0, waist + 4), top(1)], 1.2, { ends: [0.6, 0.6] }),
    ...SIDES.map(([, s]) =>
      fold([
        [0, 426],
        [9 * s, 415],
        [22 * s, 410],
      ]),
    ),
    stroke(pens, [rig.place(0, waist + 8), rig.place(1, 372), rig.place(0, 420)], 0.8, { opacity: 0.35 }),
  ].join('');
}
