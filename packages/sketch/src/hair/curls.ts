import { shade } from '../drawing/colour.js';
import { outline } from '../drawing/curve.js';
import { lerp, type Point } from '../drawing/geometry.js';
import { ink } from '../drawing/ink.js';
import type { SeededRandom } from '../drawing/seeded-random.js';
import { path } from '../drawing/svg-sheet.js';
import type { Pens } from '../figure/pens.js';
import { strandColour } from './strands.js';

/** A spiral of a little more than one turn. */
function curl([cx, cy]: Point, radius: number, random: SeededRandom): Point[] {
  const start = random.next() * 6.28;
  const turns = random.between(0.6, 1.25);
  const hand = random.chance(0.5) ? 1 : -1;
  const squash = random.between(0.65, 1);
  return Array.from({ length: 11 }, (_, i) => {
    const t = i / 10;
    const r = radius * lerp(1, 0.45, t);
    const a = start + hand * turns * 6.28 * t;
    return [cx + Math.cos(a) * r, cy + Math.sin(a) * r * squash];
  });
}

/** Scallops a contour, because the edge of curls is soft but not smooth. */
export function scalloped(points: readonly Point[], depth: number, random: SeededRandom): Point[] {
  const centre: Point = [
    points.reduce((s, p) => s + p[0], 0) / points.length,
    points.reduce((s, p) => s + p[1], 0) / points.length,
  ];
  return points.flatMap((p, i): Point[] => {
    const next = points[(i + 1) % points.length] ?? p;
    const push = (q: Point, by: number): Point => {
      const length = Math.max(1, Math.hypot(q[0] - centre[0], q[1] - centre[1]));
      return [q[0] + ((q[0] - centre[0]) / length) * by, q[1] + ((q[1] - centre[1]) / length) * by];
    };
    const middle: Point = [(p[0] + next[0]) / 2, (p[1] + next[1]) / 2];
    return [push(p, -depth * random.between(0, 0.6)), push(middle, depth * random.between(0.3, 1))];
  });
}

/**
 * Fills an area with curls. `inside` picks a place in the area. `lit` gives the light that falls there, 0–1.
 */
export function drawCurls(
  pens: Pens,
  shape: readonly Point[],
  colour: string,
  count: number,
  radius: readonly [number, number],
  inside: (random: SeededRandom) => Point,
  lit: (point: Point) => number,
): string {
  const random = pens.random.fork(`curls${count}`);
  const curls = Array.from({ length: count }, () => {
    const place = inside(random);
    const light = lit(place);
    const size = random.between(radius[0], radius[1]);
    return path(ink(curl(place, size, random), { width: size * 0.4, points: 15, ends: [0.4, 0.2] }), {
      fill: shade(strandColour(colour, random, light), light * 7 - 2),
      'fill-opacity': random.between(0.5, 0.9).toFixed(2),
    });
  });
  return [path(outline(shape), { fill: shade(colour, -5) }), ...curls].join('');
}
