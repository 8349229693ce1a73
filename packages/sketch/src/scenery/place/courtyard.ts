import { blend, shade } from '../../drawing/colour.js';
import { polygon } from '../../drawing/curve.js';
import type { Point } from '../../drawing/geometry.js';
import { path } from '../../drawing/svg-sheet.js';
import { edges, FRONT, litBy, on, pen, plane, toned, wash, weightAt } from '../brush.js';
import { seen, topOf, upright } from '../camera.js';
import { drawGround } from '../ground/ground.js';
import { openWall, type Opening } from '../opening.js';
import { box } from '../solids.js';
import { drawWall, frontWall } from '../surface.js';
import { drawColumn } from '../anchor/structures.js';
import type { Place, Site, WallSpot } from './place.js';
import { ceiling, openTop, sideWalls } from './studio-space.js';

/** A row of tiles that juts out over the arcade. */
function eave({ brush }: Site, z: number, y: number, [left, right]: readonly [number, number]): string {
  const clay = blend('#b96f4c', brush.colours.second, 0.3);
  const tiles: string[] = [];
  for (let x = left - 0.2; x < right + 0.2; x += 0.17) {
    const a = on(brush, x, y + 0.3, z + 0.3);
    const b = on(brush, x + 0.16, y + 0.3, z + 0.3);
    const c = on(brush, x + 0.16, y, z - 0.28);
    const d = on(brush, x, y, z - 0.28);
    const tone = toned(brush, shade(clay, brush.random.wobble(8)), 0.2, z);
    const lip: Point = [(c[0] + d[0]) / 2, c[1] + (c[0] - d[0]) * 0.42];
    tiles.push(
      wash(brush, `M${a.join(' ')}L${b.join(' ')}L${c.join(' ')}Q${lip.join(' ')} ${d.join(' ')}Z`, tone, {
        edge: clay,
        rim: 0.7,
      }),
    );
    tiles.push(pen(brush, [d, lip, c], weightAt(z, 1.2), { opacity: 0.7 }));
  }
  return tiles.join('');
}

/** The veranda behind the arches: its shaded floor and its inner wall with a doorway. */
function verandaBehind({ brush }: Site, opening: Opening): string {
  const { colours, sheet } = brush;
  const inner = opening.z + 1.7;
  const [left, floor] = on(brush, opening.x - 2, 0, inner);
  const [right] = on(brush, opening.x + 2, 0, inner);
  const [, top] = on(brush, 0, opening.y + opening.height + 0.6, inner);
  const [, low] = on(brush, 0, 0, opening.z);
  const deep = blend(shade(colours.wall, -10), brush.light.shade, 0.22);
  const paint = sheet.linear(0, Math.round(top), 0, Math.round(floor), [
    [0, toned(brush, shade(deep, -16), 0, inner)],
    [1, toned(brush, deep, 0, inner)],
  ]);
  const door: Point[] = [
    on(brush, opening.x - 0.32, 0, inner),
    on(brush, opening.x - 0.32, 1.75, inner),
    on(brush, opening.x + 0.32, 1.75, inner),
    on(brush, opening.x + 0.32, 0, inner),
  ];
  return [
    path(`M${left} ${top}H${right}V${floor}H${left}Z`, { fill: paint }),
    path(`M${left} ${floor}H${right}V${low + 5}H${left}Z`, {
      fill: toned(brush, shade(colours.floor, -13), -0.5, inner),
    }),
    path(polygon(door), {
      fill: toned(brush, shade(blend(colours.second, '#4a3a30', 0.5), -8), -0.3, inner),
      'fill-opacity': 0.75,
    }),
    pen(brush, door, 1.1, { opacity: 0.5, corners: true }),
  ].join('');
}

/** An arcade with a veranda behind it, its tiled eave against the sky, and low walls at the sides. */
export function courtyardVeranda(site: Site): Place {
  const { brush, spec, rear } = site;
  const { camera, colours } = brush;
  const [left, right] = seen(camera, rear);
  const visible = topOf(camera, rear);
  const height = Math.min(2.75, visible * (site.overhead === 'ceiling' ? 0.9 : 0.8));
  const wall = frontWall(brush, [left - 0.3, right + 0.3], height, rear, colours.wall, litBy(brush, FRONT));
  const bay = Math.max(1.05, Math.min(1.35, (right - left) / 2.6));
  const arches: string[] = [];
  const spots: WallSpot[] = [];
  for (let i = -4; i <= 4; i++) {
    const x = i * bay;
    if (x < left - bay || x > right + bay) continue;
    const opening: Opening = {
      x,
      y: 0,
      z: rear,
      width: bay * 0.74,
      height: height * 0.84,
      arched: true,
      depth: 0.3,
    };
    arches.push(
      openWall(
        brush,
        opening,
        colours.wall,
        // The middle arch opens to the distance.
        i === 0 && site.hasFar ? site.far : verandaBehind(site, opening),
      ),
    );
    // Wall pieces hang in the bays, a little in front of the wall.
    if (Math.abs(i) <= 1)
      spots.push({ x, z: rear + 0.02, width: bay * 0.8, height: height * 0.84, colour: colours.wall });
  }
  const bases: string[] = [];
  for (let i = -4; i < 4; i++) {
    const x = (i + 0.5) * bay;
    if (x < left - 0.3 || x > right + 0.3) continue;
    bases.push(
      drawColumn(brush, x, rear - 0.16, height * 0.84 - bay * 0.34, blend(colours.wall, '#f2eadc', 0.5), 0.1),
    );
  }
  const cornice = upright([left - 1, right + 1], [height - 0.16, height], rear - 0.1);
  const low = height * 0.5;
  const order = [spots[0], spots[2], spots[1]].filter((spot): spot is WallSpot => spot !== undefined);
  return {
    svg: [
      openTop(site),
      drawGround(brush, site.ground, rear),
      site.overhead === 'ceiling' ? ceiling(site, rear, height, blend(colours.wood, '#efe4d0', 0.35)) : '',
      drawWall(brush, wall, spec.surface, 'arcade'),
      ...arches,
      plane(brush, cornice, blend(colours.wall, '#f2eadc', 0.45), FRONT),
      edges(brush, cornice, 1.4),
      site.overhead === 'ceiling' ? '' : eave(site, rear, height, [left, right]),
      box(
        brush,
        { x: [left - 1, right + 1], y: [0, 0.11], z: [rear - 0.42, rear] },
        blend(colours.stone, colours.wall, 0.3),
      ),
      ...bases,
      sideWalls(site, rear - 0.42, low, blend(colours.wall, colours.second, 0.3)),
    ].join(''),
    walls: order,
    back: rear - 0.8,
  };
}
