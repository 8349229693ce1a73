import { outline } from '../drawing/curve.js';
import { rotate, type Point } from '../drawing/geometry.js';
import { path } from '../drawing/svg-sheet.js';
import { stroke, type Pens } from './pens.js';
import { points } from '../drawing/points.js';

/** Each row is a finger: its root, middle joint, tip and breadth. The hand hangs from the wrist at 0,0. */
const RELAXED: readonly (readonly [root: Point, joint: Point, tip: Point, breadth: number])[] = [
  [[-7, 30], [-8.5, 40], [-6.5, 52], 4],
  [[-3.4, 33], [-4.6, 46], [-2, 61], 4.6],
  [[0.9, 34], [0.9, 49], [2.6, 66], 4.8],
  [[5.2, 32], [6.4, 46], [7, 61], 4.8],
];

const finger = ([root, joint, tip]: readonly [Point, Point, Point], breadth: number): Point[] => {
  const b = breadth / 2;
  const across = (p: Point, offset: number): Point => [p[0] + offset, p[1]];
  return [
    across(root, -b),
    across(joint, -b * 1.02),
    [tip[0] - b * 0.72, tip[1] - 3],
    [tip[0], tip[1]],
    [tip[0] + b * 0.72, tip[1] - 3],
    across(joint, b * 1.02),
    across(root, b),
  ];
};

const PALM: readonly Point[] = points(
  '-5.8 -3, -8.2 9, -9.6 20, -9.4 31, -4 37, 3 38, 8 34, 8.6 24, 7.6 11, 5.8 -3',
);

const THUMB: readonly Point[] = points('6 6, 10.5 13, 12.6 22, 12.8 33, 11.2 40, 8.8 39.5, 8.2 31, 6.8 22');

/**
 * A relaxed hand. `inward` is the side of the thumb on the page (1: right); `angle` is the direction of the
 * forearm.
 */
export function drawHand(pens: Pens, wrist: Point, angle: number, inward: -1 | 1, scale: number): string {
  const put = (points: readonly Point[]): Point[] =>
    points.map(([x, y]) => {
      const [rx, ry] = rotate([x * inward * scale, y * scale], angle);
      return [wrist[0] + rx, wrist[1] + ry];
    });
  const { palette } = pens;
  const parts: string[] = [];
  for (const [root, joint, tip, breadth] of RELAXED) {
    const shape = put(finger([root, joint, tip], breadth));
    parts.push(path(outline(shape), { fill: palette.skin }));
    parts.push(stroke(pens, shape, 0.95, { ends: [0.3, 0.3], opacity: 0.9 }));
  }
  parts.push(path(outline(put(PALM)), { fill: palette.skin }));
  const shadow = put(points('-8.6 14, -9.2 28, -6 36, -3.4 30, -5 14'));
  parts.push(path(outline(shadow), { fill: palette.skinShade, 'fill-opacity': 0.6 }));
  parts.push(stroke(pens, put(points('-5.8 -2, -8.2 9, -9.6 20, -9.2 31')), 1.15));
  parts.push(path(outline(put(THUMB)), { fill: palette.skin }));
  parts.push(stroke(pens, put([[5.8, 0], [7.6, 8], ...THUMB.slice(1, 7)]), 1.15));
  parts.push(stroke(pens, put(points('8.2 31, 6.6 22, 4.8 17')), 0.8, { opacity: 0.7 }));
  return parts.join('');
}
