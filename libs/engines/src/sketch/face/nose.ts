import type { FigureSpec } from '../casting/figure-spec.js';
import { outline } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { path } from '../drawing/svg-sheet.js';
import { stroke, type Pens } from '../figure/pens.js';
import type { HeadFrame } from './head-frame.js';

export function drawNose(pens: Pens, frame: HeadFrame, spec: FigureSpec): string {
  const b = spec.face.noseBreadth;
  const { palette, sheet } = pens;
  // The bridge stands out less than the tip, so that the tip travels furthest when the head turns.
  const put = (points: readonly Point[]): Point[] =>
    points.map(([x, y]) => frame.put(x * b, y, 1 + 9 * Math.max(0, (y - 44) / 24)));
  const turn = spec.face.yaw > 0 ? 1 : -1;
  const bridge: Point[] = [
    [5.6 * turn, 42],
    [3.6 * turn, 48],
    [3.1 * turn, 56],
    [4.4 * turn, 63],
  ];
  return [
    path(
      outline(
        put([
          [3.6, 44],
          [3, 56],
          [3.6, 65],
          [8.4, 68.5],
          [9, 62],
          [7.2, 52],
          [7.8, 44],
        ]),
      ),
      {
        fill: palette.skinShade,
        'fill-opacity': 0.75,
        filter: sheet.blur(1.2),
      },
    ),
    path(
      outline(
        put([
          [-6.6, 70.6],
          [0, 73.4],
          [7.4, 70.4],
          [4, 75],
          [0, 76.2],
          [-4, 74.6],
        ]),
      ),
      {
        fill: palette.skinShade,
        'fill-opacity': 0.8,
        filter: sheet.blur(0.9),
      },
    ),
    path(
      outline(
        put([
          [-1.6, 45],
          [-0.4, 45],
          [-0.2, 58],
          [-1, 64],
          [-2, 56],
        ]),
      ),
      {
        fill: palette.skinLight,
        'fill-opacity': 0.85,
        filter: sheet.blur(0.8),
      },
    ),
    path(
      outline(
        put([
          [-2.4, 65.4],
          [0, 64.4],
          [1.6, 66],
          [0, 67.8],
          [-2, 67.4],
        ]),
      ),
      {
        fill: '#fff6ee',
        'fill-opacity': 0.6,
        filter: sheet.blur(0.6),
      },
    ),
    stroke(pens, put(bridge), 0.8, { opacity: 0.42, ends: [0.1, 0.2], press: 0.6 }),
    stroke(
      pens,
      put([
        [-7.4, 66.2],
        [-8, 69],
        [-6.4, 71.2],
      ]),
      0.95,
      { ends: [0.2, 0.3], opacity: 0.7 },
    ),
    stroke(
      pens,
      put([
        [7.4, 66.2],
        [8, 69],
        [6.4, 71.2],
      ]),
      1,
      { ends: [0.2, 0.3], opacity: 0.8 },
    ),
    stroke(
      pens,
      put([
        [-6, 71],
        [-3.8, 70],
        [-1.8, 71.6],
      ]),
      1.35,
      { ends: [0.25, 0.25] },
    ),
    stroke(
      pens,
      put([
        [6, 71],
        [3.8, 70],
        [1.8, 71.6],
      ]),
      1.35,
      { ends: [0.25, 0.25] },
    ),
    stroke(
      pens,
      put([
        [-1.8, 71.8],
        [0, 72.8],
        [1.8, 71.8],
      ]),
      0.7,
      { opacity: 0.55 },
    ),
  ].join('');
}
