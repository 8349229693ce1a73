import { shade } from '../../drawing/colour.js';
import { polygon } from '../../drawing/curve.js';
import type { Point } from '../../drawing/geometry.js';
import { path } from '../../drawing/svg-sheet.js';
import { hairlines, litBy, on, rule, toned, UP, weightAt, type Brush } from '../brush.js';
import { span, type GroundArea } from './area.js';

/** Boards that run away from the camera, each with its own tone, its joints and a little grain. */
export function drawBoards(brush: Brush, { near, far, colour }: GroundArea): string {
  const random = brush.random.fork('boards');
  const breadth = random.between(0.13, 0.19);
  const end = Math.min(far, 14);
  const [left, right] = span(brush, end);
  const lit = litBy(brush, UP);
  const parts: string[] = [];
  const seams: [Point, Point][] = [];
  const grain: [Point, Point][] = [];
  for (let x = Math.floor(left / breadth) * breadth; x < right; x += breadth) {
    let z = near - random.between(0, 1.4);
    while (z < end) {
      const next = z + random.between(1.1, 2.4);
      const [z0, z1] = [Math.max(near, z), Math.min(end, next)];
      z = next;
      if (z1 <= z0) continue;
      const tone = shade(colour, random.wobble(7), 1 + random.wobble(0.12));
      const corners = [
        on(brush, x, 0, z0),
        on(brush, x + breadth, 0, z0),
        on(brush, x + breadth, 0, z1),
        on(brush, x, 0, z1),
      ];
      parts.push(
        path(polygon(corners), { fill: toned(brush, tone, lit, (z0 + z1) / 2), 'fill-opacity': 0.85 }),
      );
      if (z1 < end && corners[2] && corners[3]) seams.push([corners[3], corners[2]]);
      for (let k = 0; k < 2; k++) {
        const [gx, g0] = [x + breadth * random.between(0.15, 0.85), random.between(z0, z1)];
        grain.push([
          on(brush, gx, 0, g0),
          on(brush, gx + random.wobble(0.01), 0, Math.min(z1, g0 + random.between(0.2, 0.7))),
        ]);
      }
    }
  }
  const lines: string[] = [];
  for (let x = Math.floor(left / breadth) * breadth; x < right; x += breadth) {
    lines.push(rule(brush, on(brush, x, 0, near), on(brush, x, 0, end), 1.2, { opacity: 0.5 }));
  }
  const dark = shade(colour, -30);
  return [
    ...parts,
    hairlines(brush, grain, 0.8, dark, 0.22),
    hairlines(brush, seams, weightAt(4, 1.3), dark, 0.55),
    ...lines,
  ].join('');
}
