import { blend, shade } from '../drawing/colour.js';
import { outline } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import type { SeededRandom } from '../drawing/seeded-random.js';
import { element, group, path, type SvgSheet } from '../drawing/svg-sheet.js';

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

/** A loose brush-stroke shape: an uneven vertical swash with a dry lower edge. */
function swash(random: SeededRandom, width: number, height: number, floor: number | undefined): Point[] {
  const [cx, half] = [width * (0.5 + random.wobble(0.05)), Math.min(width * 0.36, height * 0.34)];
  const top = height * 0.06;
  const bottom = floor === undefined ? height * 1.04 : floor - height * 0.03;
  const points: Point[] = [];
  const count = 11;
  const ragged = (y: number): number => half * (0.84 + random.wobble(0.14) - 0.12 * Math.abs(y - 0.5));
  for (let i = 0; i < count; i++)
    points.push([cx + ragged(i / count), top + ((bottom - top) * i) / (count - 1)]);
  for (let i = count - 1; i >= 0; i--)
    points.push([
      cx - ragged(i / count),
      top + ((bottom - top) * i) / (count - 1) + random.wobble(height * 0.015),
    ]);
  return points;
}

/**
 * The studio: a seamless wall with light from the upper left, a watercolour swash behind the figure and, when a floor is
 * given, the sweep where the wall becomes the floor. All in pixels.
 */
export function drawBackdrop(
  sheet: SvgSheet,
  studio: Studio,
  random: SeededRandom,
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
  const shape = swash(random, width, height, floor);
  const inner = shape.map(([x, y], i): Point => [
    width / 2 + (x - width / 2) * (0.8 + 0.05 * Math.sin(i * 2.1)),
    height * 0.5 + (y - height * 0.5) * 0.93,
  ]);
  const parts = [
    element('rect', { width, height, fill: light }),
    path(outline(shape), { fill: studio.wash, 'fill-opacity': 0.3, filter: sheet.blur(long * 0.0016) }),
    path(outline(inner), { fill: studio.wash, 'fill-opacity': 0.26, filter: sheet.blur(long * 0.012) }),
    path(outline(shape), {
      fill: 'none',
      stroke: shade(studio.wash, -8, 1.3),
      'stroke-opacity': 0.3,
      'stroke-width': long * 0.0022,
    }),
  ];
  if (floor !== undefined) {
    const sweep = sheet.linear(0, floor - height * 0.1, 0, height, [
      [0, shade(studio.wall, -7), 0],
      [0.42, shade(studio.wall, -9, 1.1), 0.75],
      [1, shade(studio.wall, -3), 0.85],
    ]);
    parts.push(element('rect', { x: 0, y: floor - height * 0.1, width, height, fill: sweep }));
  }
  return group({}, ...parts);
}

/** The soft shadow under the feet: a dark core where the shoe touches and a long fall away from the light. */
export function drawFloorShadow(
  sheet: SvgSheet,
  studio: Studio,
  feet: readonly Point[],
  scale: number,
): string {
  const colour = blend(shade(studio.wall, -52), '#3b2d3a', 0.35);
  const blob = (cx: number, cy: number, rx: number, ry: number, opacity: number, radius: number): string =>
    element('ellipse', {
      cx: cx.toFixed(1),
      cy: cy.toFixed(1),
      rx: (rx * scale).toFixed(1),
      ry: (ry * scale).toFixed(1),
      fill: colour,
      'fill-opacity': opacity,
      filter: sheet.blur(Math.round(radius * scale * 100) / 100),
    });
  const middle: Point = [
    feet.reduce((s, p) => s + p[0], 0) / Math.max(1, feet.length),
    feet.reduce((s, p) => s + p[1], 0) / Math.max(1, feet.length),
  ];
  return [
    blob(middle[0] + 56 * scale, middle[1] - 4 * scale, 150, 15, 0.3, 11),
    blob(middle[0] + 16 * scale, middle[1] - 2 * scale, 84, 10, 0.4, 7),
    ...feet.map(([x, y]) => blob(x + 3 * scale, y + 1 * scale, 17, 4.4, 0.62, 2.4)),
  ].join('');
}
