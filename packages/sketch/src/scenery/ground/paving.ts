import { blend, shade } from '../../drawing/colour.js';
import { outline, polygon } from '../../drawing/curve.js';
import { lerp, type Point } from '../../drawing/geometry.js';
import { path } from '../../drawing/svg-sheet.js';
import { hairlines, litBy, on, toned, UP, type Brush } from '../brush.js';
import { span, type GroundArea } from './area.js';

/** A slab with rounded, slightly uneven corners. */
function slab(brush: Brush, x0: number, x1: number, z0: number, z1: number, wobble: () => number): string {
  const round = Math.min(x1 - x0, z1 - z0) * 0.12;
  const corners: (readonly [number, number])[] = [
    [x0 + round, z0],
    [x1 - round, z0],
    [x1, z0 + round],
    [x1, z1 - round],
    [x1 - round, z1],
    [x0 + round, z1],
    [x0, z1 - round],
    [x0, z0 + round],
  ];
  return outline(corners.map(([x, z]) => on(brush, x + wobble(), 0, z + wobble())));
}

/** The mortar under the stones, which shows as their joints. */
function bedOf(brush: Brush, colour: string, end: number, opacity: number): string {
  const [, top] = on(brush, 0, 0, end);
  return path(`M-4 ${top}H${brush.camera.width + 4}V${brush.camera.height + 4}H-4Z`, {
    fill: toned(brush, colour, litBy(brush, UP), 4),
    'fill-opacity': opacity,
  });
}

/** Flagstones in courses of uneven depth. In the far distance the courses merge. */
export function drawPaving(brush: Brush, { near, far, colour }: GroundArea): string {
  const random = brush.random.fork('paving');
  const lit = litBy(brush, UP);
  const end = Math.min(far, 26);
  const bed = bedOf(brush, shade(colour, -17), end, 0.75);
  const parts: string[] = [];
  for (let z = near - 0.2, depth = 0.5; z < end; z += depth) {
    depth = random.between(0.36, 0.6) * (z > 9 ? 1.8 : 1) * (z > 16 ? 2 : 1);
    const [left, right] = span(brush, z + depth);
    for (let x = left - random.next(), width = 0.5; x < right; x += width) {
      width = random.between(0.4, 0.95) * (z > 9 ? 2.4 : 1);
      const gap = 0.011 + z * 0.0014;
      const tone = blend(
        shade(colour, random.wobble(9)),
        random.chance(0.2) ? brush.colours.second : brush.colours.paper,
        random.between(0, 0.2),
      );
      const d = slab(brush, x + gap, x + width - gap, Math.max(near * 0.9, z) + gap, z + depth - gap, () =>
        random.wobble(0.014),
      );
      parts.push(path(d, { fill: toned(brush, tone, lit, z) }));
    }
  }
  return bed + parts.join('');
}

/** Square tiles, straight or diagonal, chequered in two tones of the palette. */
export function drawTiles(brush: Brush, { near, far, colour }: GroundArea): string {
  const random = brush.random.fork('tiles');
  const lit = litBy(brush, UP);
  const end = Math.min(far, 18);
  const size = random.between(0.3, 0.42);
  const diagonal = random.chance(0.5);
  const light = blend(colour, brush.colours.paper, 0.35);
  const dark = blend(shade(colour, -13), brush.colours.second, 0.5);
  const place = (i: number, j: number): readonly [number, number] =>
    diagonal ? [((i - j) * size) / Math.SQRT2, ((i + j) * size) / Math.SQRT2] : [i * size, j * size];
  const reach = Math.max(...span(brush, end).map(Math.abs));
  const parts: string[] = [];
  const many = Math.ceil((end + reach) / size) + 2;
  for (let i = -many; i < many; i++) {
    for (let j = -many; j < many; j++) {
      const corners = [place(i, j), place(i + 1, j), place(i + 1, j + 1), place(i, j + 1)];
      const z = corners.reduce((sum, c) => sum + c[1], 0) / 4;
      const x = corners.reduce((sum, c) => sum + c[0], 0) / 4;
      const [left, right] = span(brush, Math.max(near, z));
      if (z < near - size || z > end + size || x < left - size || x > right + size) continue;
      const shrink = 0.965;
      const flat = corners.map(([cx, cz]): Point =>
        on(brush, lerp(x, cx, shrink), 0, Math.max(near * 0.8, lerp(z, cz, shrink))),
      );
      const tone = shade((i + j) % 2 === 0 ? light : dark, random.wobble(5));
      parts.push(path(polygon(flat), { fill: toned(brush, tone, lit, z) }));
    }
  }
  const bed = bedOf(brush, shade(colour, -12), end, 0.7);
  const cracks = Array.from({ length: 5 }, (): [Point, Point] => {
    const z = random.between(near, Math.min(end, 5));
    const [left, right] = span(brush, z);
    const x = random.between(left, right);
    return [on(brush, x, 0, z), on(brush, x + random.wobble(0.25), 0, z + random.between(0.05, 0.2))];
  });
  return bed + parts.join('') + hairlines(brush, cracks, 0.9, shade(colour, -32), 0.35);
}
