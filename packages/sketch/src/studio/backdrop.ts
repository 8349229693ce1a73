import { blend, shade } from '../drawing/colour.js';
import type { Point } from '../drawing/geometry.js';
import type { SeededRandom } from '../drawing/seeded-random.js';
import { element, group, type SvgSheet } from '../drawing/svg-sheet.js';

/** Quiet studio colours that flatter skin: wall and the wash behind the figure. */
const STUDIOS: readonly (readonly [wall: string, wash: string])[] = [
  ['#efe9df', '#d9b8a0'],
  ['#ece8e3', '#b9c4bd'],
  ['#f0ebe4', '#c9bfd0'],
  ['#ebe7df', '#a9bac4'],
  ['#f1eae2', '#dcb9b4'],
  ['#edeae2', '#c8c3a4'],
];

export interface Studio {
  readonly wall: string;
  readonly wash: string;
}

export function chooseStudio(random: SeededRandom): Studio {
  const [wall, wash] = random.pick(STUDIOS);
  return { wall, wash };
}

/**
 * The studio: a seamless wall with light from the upper left. If a floor is given (its height in pixels), also
 * the sweep where the wall becomes the floor.
 */
export function drawBackdrop(
  sheet: SvgSheet,
  studio: Studio,
  width: number,
  height: number,
  floor?: number,
): string {
  const long = Math.max(width, height);
  const light = sheet.radial(width * 0.3, height * 0.22, long * 0.95, [
    [0, shade(studio.wall, 5)],
    [0.5, studio.wall],
    [1, shade(studio.wall, -13, 1.15)],
  ]);
  const wall = element('rect', { width, height, fill: light });
  if (floor === undefined) return wall;
  const sweep = sheet.linear(0, floor - height * 0.1, 0, height, [
    [0, shade(studio.wall, -7), 0],
    [0.42, shade(studio.wall, -9, 1.1), 0.75],
    [1, shade(studio.wall, -3), 0.85],
  ]);
  return wall + element('rect', { x: 0, y: floor - height * 0.1, width, height, fill: sweep });
}

/**
 * The soft shadow under the feet: a dark core where the shoe touches the floor, and a long part that falls away
 * from the light.
 */
export function drawFloorShadow(
  sheet: SvgSheet,
  studio: Studio,
  feet: readonly Point[],
  scale: number,
): string {
  const colour = blend(shade(studio.wall, -52), '#3b2d3a', 0.35);
  const blob = (cx: number, cy: number, rx: number, ry: number, opacity: number): string =>
    element('ellipse', {
      cx: cx.toFixed(1),
      cy: cy.toFixed(1),
      rx: (rx * scale).toFixed(1),
      ry: (ry * scale).toFixed(1),
      fill: colour,
      'fill-opacity': opacity,
    });
  const count = Math.max(1, feet.length);
  const mx = feet.reduce((s, p) => s + p[0], 0) / count;
  const my = feet.reduce((s, p) => s + p[1], 0) / count;
  const soft = (radius: number): string => sheet.blur(Math.round(radius * scale * 100) / 100);
  return [
    group(
      { filter: soft(8) },
      blob(mx + 56 * scale, my - 4 * scale, 140, 13, 0.3),
      blob(mx + 16 * scale, my - 2 * scale, 84, 10, 0.42),
    ),
    group({ filter: soft(2.4) }, ...feet.map(([x, y]) => blob(x + 3 * scale, y + scale, 17, 4.4, 0.62))),
  ].join('');
}
