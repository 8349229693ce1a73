import { outline } from '../drawing/curve.js';
import { shade } from '../drawing/colour.js';
import type { Point } from '../drawing/geometry.js';
import { path } from '../drawing/svg-sheet.js';
import { stroke, type Pens } from './pens.js';
import { points } from '../drawing/points.js';

/**
 * A court shoe seen from the front: instep, vamp opening, pointed toe. x grows toward the outside of the foot.
 */
const INSTEP: readonly Point[] = points(
  '-9.4 -6, -9.2 8, -10.5 22, -13 36, -6 58, 8 58, 13 36, 10 20, 8.8 6, 8.8 -6',
);
const SHOE: readonly Point[] = points(
  '-11.6 24, -14.2 40, -12.6 56, -6 70, 2.5 77, 9.5 69, 14.2 54, 14.4 38, 11.6 22, 10.2 34, 6.6 46, 0.5 52, -6 47, -9.8 36',
);

/** A lace-up seen from the front. */
const LACED: readonly Point[] = points(
  '-12 6, -13.5 22, -17 42, -18.4 58, -12 69, 0 72.5, 13 69, 19.4 58, 17.6 42, 13.6 20, 12 6, 6 10, -6 10',
);
const SOCKLESS: readonly Point[] = points('-10.5 -8, -11 14, 11 14, 10.5 -8');

/**
 * A shoe at the end of a leg. `side` is the side of the body. `turn`, in figure units, moves the toe outward.
 */
export function drawFoot(
  pens: Pens,
  ankle: Point,
  side: -1 | 1,
  shoe: string,
  kind: 'court' | 'laced',
  turn: number,
  scale: number,
): string {
  const put = (points: readonly Point[]): Point[] =>
    points.map(([x, y]) => [
      ankle[0] + (x * (kind === 'laced' ? 0.86 : 1) + (turn * Math.max(0, y)) / 75) * side * scale,
      ankle[1] + y,
    ]);
  const { palette } = pens;
  const dark = shade(shoe, -14);
  const light = shade(shoe, 20, 0.8);
  if (kind === 'court') {
    return [
      path(outline(put(INSTEP)), { fill: palette.skin }),
      path(outline(put(points('4 0, 5 24, 7 46, 12 40, 9.6 20, 8.8 0'))), {
        fill: palette.skinShade,
        'fill-opacity': 0.6,
      }),
      stroke(pens, put(points('-9.2 0, -9.4 12, -11.6 26')), 1.1),
      stroke(pens, put(points('8.8 0, 9.2 12, 11.6 24')), 1.1),
      path(outline(put(SHOE)), { fill: shoe }),
      path(outline(put(points('2 56, 8 48, 12 36, 14 42, 13 56, 8 68, 2 75'))), {
        fill: dark,
        'fill-opacity': 0.8,
      }),
      path(outline(put(points('-9 46, -8 58, -3 68, -5 58, -7 48'))), { fill: light, 'fill-opacity': 0.75 }),
      stroke(pens, [...put(SHOE), ...put(SHOE.slice(0, 1))], 1.15, { ends: [0.6, 0.6] }),
    ].join('');
  }
  return [
    path(outline(put(SOCKLESS)), { fill: palette.skin }),
    path(outline(put(LACED)), { fill: shoe }),
    path(outline(put(points('6 12, 12 12, 16 42, 18 58, 12 66, 7 50'))), { fill: dark, 'fill-opacity': 0.7 }),
    path(outline(put(points('-12 44, -13 58, -8 64, -8 52'))), { fill: light, 'fill-opacity': 0.6 }),
    stroke(pens, [...put(LACED), ...put(LACED.slice(0, 1))], 1.2, { ends: [0.6, 0.6] }),
    stroke(pens, put(points('-14.5 48, -6 43, 6 43, 14.5 48')), 0.9),
    ...[18, 25, 32].map((y) =>
      stroke(
        pens,
        put([
          [-5, y + 1],
          [0, y - 1],
          [5, y + 1],
        ]),
        0.9,
      ),
    ),
    stroke(pens, put(points('-18 61, -11 68, 0 70, 12 68, 19 61')), 0.8, { opacity: 0.7 }),
  ].join('');
}
