import { blend, shade } from '../../drawing/colour.js';
import { polygon } from '../../drawing/curve.js';
import { ring } from '../../drawing/geometry.js';
import { element } from '../../drawing/svg-sheet.js';
import { FRONT, litBy, on, pen, rule, toned, wash, weightAt } from '../brush.js';
import { perMetre, seen, topOf } from '../camera.js';
import { drawGround } from '../ground/ground.js';
import { contour, openWall } from '../opening.js';
import { box, lathe, shadowOf } from '../solids.js';
import { drawWall, frontWall } from '../surface.js';
import type { Place, Site } from './place.js';
import { studioSpace, vista } from './studio-space.js';

/** A set of plain forms — a disc, an arch, steps, a drum — for a place that no other topology fits. */
export function plainShapes(site: Site): Place {
  const { brush, spec, rear } = site;
  const { camera, colours } = brush;
  const random = brush.random.fork('shapes');
  const [left, right] = seen(camera, rear);
  const side = brush.light.side;
  const sky = site.overhead === 'sky';
  const height = sky ? topOf(camera, rear) * 0.74 : 3.6;
  const wall = frontWall(brush, [left - 0.3, right + 0.3], height, rear, colours.wall, litBy(brush, FRONT));
  const [cx, cy] = on(
    brush,
    side * (right - left) * random.between(0.05, 0.14),
    random.between(1.35, 1.6),
    rear,
  );
  const r = random.between(0.7, 0.9) * perMetre(camera, rear);
  const lit = brush.sheet.linear(
    Math.round(cx - r),
    Math.round(cy - r),
    Math.round(cx + r),
    Math.round(cy + r),
    [
      [0, toned(brush, shade(colours.accent, 7), 0, rear)],
      [1, toned(brush, shade(colours.accent, -5), 0, rear)],
    ],
  );
  const rim = ring([cx, cy], r, 24);
  const mid = rear - 0.9;
  const [l, m] = seen(camera, mid);
  const breadth = m - l;
  const archX = -side * breadth * 0.33 + (l + m) / 2;
  const arch = { x: archX, y: 0, z: mid, width: breadth * 0.2, height: 1.55, arched: true, depth: 0.3 };
  const slab = contour(brush, { ...arch, width: breadth * 0.36, height: 2.0 });
  const steps = [0.22, 0.44, 0.66].map((y, i) => {
    const inner = side * breadth * (0.16 + 0.09 * i) + (l + m) / 2;
    const outer = side * breadth * 0.58 + (l + m) / 2;
    return box(
      brush,
      {
        x: [Math.min(inner, outer), Math.max(inner, outer)],
        y: [y - 0.22, y],
        z: [mid - 0.2 + i * 0.1, mid + 0.6],
      },
      blend(colours.second, '#f4ecdf', 0.15 * i),
    );
  });
  const drumX = side * breadth * 0.36 + (l + m) / 2;
  return {
    svg: [
      sky ? site.far : studioSpace(brush),
      drawGround(brush, site.ground, sky ? 60 : rear),
      drawWall(brush, wall, spec.surface, 'rear'),
      rule(brush, wall.map(0, 0), wall.map(wall.width, 0), 1.5),
      rule(brush, wall.map(0, height), wall.map(wall.width, height), 1.5),
      site.hasFar && !sky
        ? vista(site, rear, 2.6, 2)
        : element('circle', { cx: cx.toFixed(1), cy: cy.toFixed(1), r: r.toFixed(1), fill: lit }) +
          pen(brush, rim, 1.5, { opacity: 0.6 }),
      shadowOf(brush, [archX, mid], breadth * 0.18, 1.4),
      wash(brush, polygon(slab), toned(brush, colours.second, litBy(brush, FRONT), mid)),
      pen(brush, slab, weightAt(mid, 1.8), { corners: true }),
      openWall(
        brush,
        arch,
        colours.second,
        wash(brush, polygon(contour(brush, arch)), toned(brush, shade(colours.wall, -13), -0.3, mid), {
          rim: 0,
        }),
      ),
      shadowOf(brush, [drumX, mid - 0.2], breadth * 0.2, 0.4),
      ...steps.reverse(),
      lathe(
        brush,
        [drumX + side * breadth * 0.06, 0.66, mid + 0.3],
        [
          [0.16, 0],
          [0.16, 0.34],
        ],
        blend(colours.accent, '#f4ecdf', 0.2),
        { smooth: false },
      ),
    ].join(''),
    walls: [-0.3, 0.3].map((t) => ({
      x: (left + right) / 2 + (right - left) * t * side,
      z: rear,
      width: (right - left) * 0.35,
      height: Math.min(height, 2.7),
      colour: colours.wall,
    })),
    back: mid - 0.6,
  };
}
