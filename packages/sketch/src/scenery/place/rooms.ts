import { blend, lightness, shade } from '../../drawing/colour.js';
import { edges, FRONT, LEFT, litBy, on, plane, RIGHT, rule } from '../brush.js';
import { seen, sideways, topOf } from '../camera.js';
import { drawGround } from '../ground/ground.js';
import { box } from '../solids.js';
import { drawWall, frontWall, moulding, weather } from '../surface.js';
import type { Place, Site } from './place.js';
import {
  ceiling,
  inside,
  openTop,
  sideWalls,
  spotsOn,
  studioSpace,
  vista,
  wideWall,
} from './studio-space.js';

/** A wall close behind the subject, and a strip of floor. */
export function shallowWall(site: Site): Place {
  const { brush, spec, hasFar } = site;
  const { camera, colours } = brush;
  const z = 3.9 + (site.rear - 4.3) * 0.3;
  const [left, right] = seen(camera, z);
  const ground = drawGround(
    brush,
    site.ground,
    site.overhead === 'sky' ? 30 : z + (site.overhead === 'studio' ? 1.6 : 0),
  );
  if (site.overhead === 'ceiling') {
    const svg =
      ground + wideWall(site, z, 3.6, colours.wall, 'main') + (hasFar ? vista(site, z, 2.8, 1.6) : '');
    return { svg, walls: spotsOn(site, z, 2.9, colours.wall, [left, right]), back: z - 0.35 };
  }
  if (site.overhead === 'sky') {
    // The wall ends below the picture's upper edge, so that the sky is visible.
    const height = Math.min(2.3, topOf(camera, z) * 0.83);
    const wall = frontWall(brush, [left - 0.4, right + 0.4], height, z, colours.wall, litBy(brush, FRONT));
    const coping = box(
      brush,
      { x: [left - 0.5, right + 0.5], y: [height, height + 0.09], z: [z - 0.08, z + 0.3] },
      blend(colours.wall, '#f0e7d8', 0.4),
    );
    const base = moulding(brush, wall, 0, 0.3, shade(blend(colours.wall, colours.second, 0.35), -5));
    return {
      svg:
        site.far +
        ground +
        drawWall(brush, wall, spec.surface, 'main') +
        weather(brush, wall, brush.random.fork('drips')) +
        base +
        coping +
        (hasFar ? vista(site, z, height, 1.6) : ''),
      walls: spotsOn(site, z, height, colours.wall, [left, right]),
      back: z - 0.35,
    };
  }
  // A flat (a free-standing piece of wall) in a studio, with one visible edge and the space behind it.
  const side = brush.light.side;
  const reach = (right - left) * 0.36;
  const range: [number, number] = side < 0 ? [left - 0.4, reach] : [-reach, right + 0.4];
  const wall = frontWall(brush, range, 3.4, z, colours.wall, litBy(brush, FRONT));
  const edge = side < 0 ? range[1] : range[0];
  const thickness = sideways(edge, [0, 3.4], [z, z + 0.16]);
  const brace = rule(
    brush,
    on(brush, edge - side * 0.05, 2.2, z + 0.2),
    on(brush, edge - side * 0.75, 0, z + 1),
    3.4,
    { colour: colours.wood, opacity: 1.1 },
  );
  return {
    svg: [
      studioSpace(brush),
      ground,
      brace,
      plane(brush, thickness, shade(colours.wood, 8), side < 0 ? RIGHT : LEFT),
      edges(brush, thickness, 1.5),
      drawWall(brush, wall, spec.surface, 'main'),
      rule(brush, wall.map(0, 0), wall.map(wall.width, 0), 1.7),
      hasFar ? vista(site, z, 2.8, 1.4) : '',
    ].join(''),
    walls: spotsOn(site, z, 2.9, colours.wall, [Math.max(left, range[0]), Math.min(right, range[1])]),
    back: z - 0.35,
  };
}

/** A room: the rear plane, two sides that run towards it, and the ceiling or the sky. */
export function rearPlaneRoom(site: Site): Place {
  const { brush, spec, rear, half, hasFar } = site;
  const { colours, camera } = brush;
  const visible = topOf(camera, rear);
  const height = site.overhead === 'ceiling' ? Math.min(2.9, visible * 0.9) : Math.min(2.6, visible * 0.82);
  const sideColour = blend(colours.wall, colours.second, 0.42);
  const wall = frontWall(brush, [-half, half], height, rear, colours.wall, litBy(brush, FRONT));
  const trim = blend(colours.wall, lightness(colours.wall) > 40 ? '#f6f0e6' : '#d9cfc0', 0.5);
  return {
    svg: [
      openTop(site),
      drawGround(brush, site.ground, rear),
      site.overhead === 'ceiling' ? ceiling(site, rear, height, trim) : '',
      drawWall(brush, wall, spec.surface, 'rear'),
      moulding(brush, wall, 0, 0.13, trim),
      moulding(brush, wall, height - 0.08, 0.09, trim),
      hasFar ? vista(site, rear, height, half * 1.3) : '',
      sideWalls(site, rear, height, sideColour),
      rule(brush, wall.map(0, 0), wall.map(wall.width, 0), 1.6),
    ].join(''),
    walls: spotsOn(site, rear, height - 0.1, colours.wall, inside(brush, rear, half)),
    back: rear - 0.45,
  };
}
