import { blend, shade } from '../../drawing/colour.js';
import { polygon } from '../../drawing/curve.js';
import { element, group, path } from '../../drawing/svg-sheet.js';
import {
  edges,
  FRONT,
  LEFT,
  litBy,
  on,
  pen,
  plane,
  RIGHT,
  rule,
  toned,
  weightAt,
  type Brush,
} from '../brush.js';
import { lying, seen, topOf, upright } from '../camera.js';
import { contour } from '../opening.js';
import { drawWall, frontWall, moulding, sideWall } from '../surface.js';
import type { Site, WallSpot } from './place.js';

/** The room that a set is built in: a wide, pale space without corners. */
export function studioSpace(brush: Brush): string {
  const { camera, sheet, colours, light } = brush;
  const air = blend(shade(colours.second, 10), '#ece7df', 0.62);
  const paint = sheet.radial(
    Math.round(camera.width * (0.5 + light.side * 0.22)),
    Math.round(camera.height * 0.24),
    Math.round(Math.max(camera.width, camera.height)),
    [
      [0, shade(air, 5)],
      [0.5, air],
      [1, shade(air, -14)],
    ],
  );
  return element('rect', { width: camera.width, height: camera.height, fill: paint });
}

/** The open top of a place: the studio's space or the sky. A ceiling is drawn with the walls. */
export const openTop = ({ brush, far, overhead }: Site): string =>
  ({ studio: () => studioSpace(brush), ceiling: () => '', sky: () => far })[overhead]();

/**
 * The place behind a hung cloth or paper.
 * @param behind how far behind it the wall of a room is, metres
 * @param opening height and breadth of the wall's opening to the distance, metres
 */
export function behindCloth(
  site: Site,
  behind: number,
  height: number,
  colour: string,
  opening: readonly [height: number, breadth: number],
): string {
  if (site.overhead !== 'ceiling')
    return site.overhead === 'sky' || site.hasFar ? site.far : studioSpace(site.brush);
  const z = site.rear + behind;
  return wideWall(site, z, height, colour, 'behind') + (site.hasFar ? vista(site, z, ...opening) : '');
}

/** A wall that faces the camera from edge to edge of the picture, with its skirting. */
export function wideWall(
  { brush, spec, overhead }: Site,
  z: number,
  height: number,
  colour: string,
  label: string,
): string {
  const [left, right] = seen(brush.camera, z);
  const wall = frontWall(brush, [left - 0.3, right + 0.3], height, z, colour, litBy(brush, FRONT));
  const skirting = overhead === 'sky' ? '' : moulding(brush, wall, 0, 0.11, blend(colour, '#f4eee3', 0.45));
  const top =
    height < topOf(brush.camera, z)
      ? moulding(brush, wall, height - 0.02, 0.1, blend(colour, '#f4eee3', 0.3))
      : '';
  return (
    drawWall(brush, wall, spec.surface, label) +
    skirting +
    top +
    rule(brush, wall.map(0, 0), wall.map(wall.width, 0), 1.6)
  );
}

/** Ceilings and sides begin this close to the camera, in metres. That is beyond every edge of the picture. */
const NEAR = 0.7;

/** Both side walls from the rear plane to behind the camera. */
export function sideWalls(
  { brush, spec, overhead, half }: Site,
  rear: number,
  height: number,
  colour: string,
): string {
  const near = Math.min(brush.camera.near * 0.8, NEAR);
  return ([-1, 1] as const)
    .map((side) => {
      const lit = litBy(brush, side < 0 ? RIGHT : LEFT);
      const wall = sideWall(brush, side * half, [near, rear], height, colour, lit);
      const skirting =
        overhead === 'sky' ? '' : moulding(brush, wall, 0, 0.11, blend(colour, '#f4eee3', 0.45));
      const coping =
        height < topOf(brush.camera, rear) + 0.6 && overhead === 'sky'
          ? moulding(brush, wall, height - 0.04, 0.08, blend(colour, '#f4eee3', 0.3))
          : '';
      return (
        drawWall(brush, wall, spec.surface, `side${side}`) +
        skirting +
        coping +
        rule(brush, wall.map(wall.width, 0), wall.map(wall.width, height), 1.6) +
        rule(brush, wall.map(0, height), wall.map(wall.width, height), 1.4) +
        rule(brush, wall.map(0, 0), wall.map(wall.width, 0), 1.4)
      );
    })
    .join('');
}

/** A ceiling between the side walls, with a beam or two. */
export function ceiling({ brush, half }: Site, rear: number, height: number, colour: string): string {
  const near = Math.min(brush.camera.near * 0.8, NEAR);
  const lid = lying([-half, half], height, [near, rear]);
  const beams = [0.45, 0.75].map((t) => {
    const z = near + (rear - near) * t;
    const face = upright([-half, half], [height - 0.14, height], z);
    return (
      plane(brush, face, shade(colour, -7), FRONT) + edges(brush, face, weightAt(z, 1.3), { opacity: 0.6 })
    );
  });
  return (
    plane(brush, lid, blend(colour, '#f7f2e8', 0.5), [0, -1, 0], { rim: 0 }) +
    beams.reverse().join('') +
    edges(brush, lid, 1.4, { opacity: 0.6 })
  );
}

/** A wide opening in a wall that shows the distance. */
export function vista({ brush, far }: Site, z: number, height: number, breadth: number): string {
  const [left, right] = seen(brush.camera, z);
  const width = Math.min(breadth, (right - left) * 0.7);
  const opening = {
    x: (left + right) / 2,
    y: 0.78,
    z,
    width,
    height: Math.min(height - 1.05, 1.75),
    arched: false,
  };
  const frame = contour(brush, opening);
  const outer = contour(brush, { ...opening, y: 0.74, width: width + 0.14, height: opening.height + 0.11 });
  const bars = [-0.25, 0, 0.25].map((t) =>
    rule(
      brush,
      on(brush, opening.x + t * width, opening.y, z),
      on(brush, opening.x + t * width, opening.y + opening.height, z),
      weightAt(z, 3),
      { colour: toned(brush, '#efe7d8', 0.2, z), opacity: 1 },
    ),
  );
  return [
    path(polygon(outer), { fill: toned(brush, blend(brush.colours.wall, '#f4eee3', 0.5), 0.2, z) }),
    pen(brush, outer, 1.5, { closed: true, corners: true }),
    group({ 'clip-path': brush.sheet.clip(polygon(frame)) }, far),
    ...bars,
    pen(brush, frame, 1.6, { closed: true, corners: true }),
  ].join('');
}

/**
 * `count` places beside each other on a wall. A single place is beside the middle, unless the piece is wide.
 */
export function spotsOn(
  site: Site,
  z: number,
  height: number,
  colour: string,
  [left, right]: readonly [number, number],
): WallSpot[] {
  const breadth = right - left;
  const middle = (left + right) / 2;
  const at = (t: number, share: number): WallSpot => ({
    x: middle + breadth * t,
    z,
    width: breadth * share,
    height,
    colour,
  });
  const first = site.brush.light.side;
  return [at(-first * 0.29, 0.42), at(first * 0.29, 0.42), at(0, 0.34), at(first * 0.44, 0.2)];
}

export const inside = (brush: Brush, z: number, half: number): readonly [number, number] => {
  const [left, right] = seen(brush.camera, z);
  return [Math.max(left, -half), Math.min(right, half)];
};
