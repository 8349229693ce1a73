import type { FigureSpec } from '../casting/figure-spec.js';
import { shade } from '../drawing/colour.js';
import { outline } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { path } from '../drawing/svg-sheet.js';
import { stroke, type Pens } from '../figure/pens.js';
import type { HeadFrame } from './head-frame.js';

export function drawMouth(pens: Pens, frame: HeadFrame, spec: FigureSpec): string {
  const { lipFullness: full, mouthBreadth, smile } = spec.face;
  const { palette } = pens;
  const w = 11.8 * mouthBreadth;
  const up = 3.7 * full;
  const down = 5.4 * full;
  const corner = -1.5 * smile;
  const put = (points: readonly Point[]): Point[] => points.map(([x, y]) => frame.put(x, 80.4 + y, 2));
  const parting: Point[] = [
    [-w, corner],
    [-w * 0.55, 0.5],
    [-w * 0.18, -0.3],
    [0, 0.6],
    [w * 0.18, -0.3],
    [w * 0.55, 0.5],
    [w, corner],
  ];
  const upper: Point[] = [
    [-w, corner],
    [-w * 0.55, -up * 0.62],
    [-w * 0.2, -up],
    [0, -up * 0.72],
    [w * 0.2, -up],
    [w * 0.55, -up * 0.62],
    [w, corner],
  ];
  const lower: Point[] = [
    [w, corner],
    [w * 0.62, down * 0.66],
    [w * 0.2, down],
    [-w * 0.2, down],
    [-w * 0.62, down * 0.66],
    [-w, corner],
  ];
  const male = spec.gender === 'MALE';
  return [
    path(
      outline(
        put([
          [-w * 0.42, down + 1.6],
          [0, down + 2.6],
          [w * 0.46, down + 1.4],
          [0, down + 4.2],
        ]),
      ),
      {
        fill: palette.skinDeep,
        'fill-opacity': 0.26,
      },
    ),
    path(outline([...put(upper), ...put(parting).reverse().slice(1, -1)]), {
      fill: shade(palette.lip, -6),
      'fill-opacity': male ? 0.75 : 0.95,
    }),
    path(outline([...put(parting), ...put(lower).slice(1, -1)]), {
      fill: palette.lip,
      'fill-opacity': male ? 0.62 : 0.95,
    }),
    path(
      outline(
        put([
          [w * 0.2, down * 0.9],
          [w * 0.65, down * 0.5],
          [w * 0.86, 0.6],
          [w * 0.5, 1.4],
        ]),
      ),
      {
        fill: shade(palette.lip, -14),
        'fill-opacity': 0.5,
      },
    ),
    path(
      outline(
        put([
          [-w * 0.42, down * 0.34],
          [-w * 0.1, down * 0.3],
          [w * 0.16, down * 0.4],
          [-w * 0.1, down * 0.62],
        ]),
      ),
      {
        fill: '#fff4ee',
        'fill-opacity': male ? 0.14 : 0.4,
      },
    ),
    stroke(pens, put(parting), 1.15, {
      ends: [0.35, 0.35],
      press: 0.5,
      colour: shade(palette.lip, -42, 0.7),
    }),
    stroke(
      pens,
      put([
        [-w - 0.8, corner + 0.6],
        [-w, corner],
        [-w + 2, corner + 0.3],
      ]),
      0.8,
      { opacity: 0.65 },
    ),
    stroke(
      pens,
      put([
        [w + 0.8, corner + 0.6],
        [w, corner],
        [w - 2, corner + 0.3],
      ]),
      0.8,
      { opacity: 0.65 },
    ),
    stroke(
      pens,
      put([
        [-w * 0.45, down + 0.5],
        [0, down + 1.1],
        [w * 0.45, down + 0.5],
      ]),
      0.6,
      { opacity: 0.45 },
    ),
  ].join('');
}
