import type { FigureSpec } from '../casting/figure-spec.js';
import { lightness } from '../drawing/colour.js';
import type { Point } from '../drawing/geometry.js';
import { stroke, type Palette, type Pens } from '../figure/pens.js';
import type { HeadFrame } from './head-frame.js';
import type { Patch } from './soft-shading.js';
import { points } from '../drawing/points.js';

/** The bridge stands out less than the tip, so that the tip travels furthest when the head turns. */
const placer =
  (frame: HeadFrame, spec: FigureSpec) =>
  (points: readonly Point[]): Point[] =>
    points.map(([x, y]) => frame.put(x * spec.face.noseBreadth, y, 1 + 9 * Math.max(0, (y - 44) / 24)));

/** Side plane, under plane and the light on the bridge, already placed on the face. */
export function noseShade(palette: Palette, frame: HeadFrame, spec: FigureSpec): Patch[] {
  const put = placer(frame, spec);
  const { skinShade, skinLight } = palette;
  return [
    {
      points: put(points('3.4 44, 2.8 56, 3.6 65, 8.6 69, 9.4 62, 7.4 52, 8 43')),
      fill: skinShade,
      opacity: 0.85,
    },
    {
      points: put(points('-6.4 70.8, 0 73.2, 7.4 70.4, 4 75.6, 0 77, -4 75')),
      fill: skinShade,
      opacity: 0.85,
    },
    {
      points: put(points('-2 45, -0.2 45, 0 58, -0.8 65, -2.6 57')),
      fill: skinLight,
      opacity: 0.95,
    },
    {
      points: put(points('-3 65.4, 0 64, 1.8 66, 0 68.2, -2.4 67.8')),
      fill: '#fff3e8',
      opacity: lightness(palette.skin) < 52 ? 0.28 : 0.7,
    },
  ];
}

export function drawNose(pens: Pens, frame: HeadFrame, spec: FigureSpec): string {
  const put = placer(frame, spec);
  const turn = spec.face.yaw > 0 ? 1 : -1;
  const bridge: Point[] = [
    [5.2 * turn, 43],
    [3.5 * turn, 48.5],
    [3 * turn, 56],
    [4.2 * turn, 62],
  ];
  return [
    stroke(pens, put(bridge), 0.7, { opacity: 0.36, ends: [0.1, 0.2], press: 0.6 }),
    stroke(pens, put(points('-7.2 66.4, -7.8 69, -6.2 71.2')), 0.85, { ends: [0.2, 0.3], opacity: 0.6 }),
    stroke(pens, put(points('7.2 66.4, 7.8 69, 6.2 71.2')), 0.9, { ends: [0.2, 0.3], opacity: 0.75 }),
    stroke(pens, put(points('-5.6 71, -3.7 70.1, -1.8 71.5')), 1.25, { ends: [0.25, 0.25], opacity: 0.9 }),
    stroke(pens, put(points('5.6 71, 3.7 70.1, 1.8 71.5')), 1.25, { ends: [0.25, 0.25], opacity: 0.9 }),
    stroke(pens, put(points('-1.8 71.8, 0 72.6, 1.8 71.8')), 0.7, { opacity: 0.5 }),
  ].join('');
}
