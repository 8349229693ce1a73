import { blend, shade } from '../../drawing/colour.js';
import { polygon } from '../../drawing/curve.js';
import type { Point } from '../../drawing/geometry.js';
import type { SeededRandom } from '../../drawing/seeded-random.js';
import { path } from '../../drawing/svg-sheet.js';
import {
  FRONT,
  hairlines,
  LEFT,
  litBy,
  pen,
  RIGHT,
  rule,
  toned,
  wash,
  weightAt,
  type Brush,
} from '../brush.js';
import { seen } from '../camera.js';
import { drawGround } from '../ground/ground.js';
import { drawWall, frontWall, moulding, quad, sideWall, wallShape, weather, type Wall } from '../surface.js';
import type { Place, Site, WallSpot } from './place.js';
import { studioSpace } from './studio-space.js';

/** A window with its shutters, on a wall in perspective. */
function shuttered(brush: Brush, wall: Wall, u: number, v: number, colour: string): string {
  const w = weightAt(wall.z, 1.3);
  const glass = quad(wall, u, u + 0.62, v, v + 1.15);
  const dark = blend('#4a5258', brush.colours.sky, 0.25);
  const leaf = (a: number): string => {
    const board = quad(wall, a, a + 0.3, v - 0.02, v + 1.17);
    const slats = Array.from({ length: 9 }, (_, i): [Point, Point] => [
      wall.map(a + 0.04, v + 0.08 + i * 0.12),
      wall.map(a + 0.26, v + 0.08 + i * 0.12),
    ]);
    return (
      wash(brush, polygon(board), toned(brush, colour, wall.lit, wall.z)) +
      hairlines(brush, slats, 0.9, shade(colour, -20), 0.5) +
      pen(brush, board, w, { closed: true, corners: true })
    );
  };
  return [
    wash(
      brush,
      polygon(quad(wall, u - 0.07, u + 0.69, v - 0.1, v + 1.24)),
      toned(brush, blend(wall.colour, '#f4ecdd', 0.5), wall.lit, wall.z),
    ),
    wash(brush, polygon(glass), toned(brush, dark, wall.lit * 0.4, wall.z)),
    path(
      polygon([
        wall.map(u, v + 0.55),
        wall.map(u, v + 0.85),
        wall.map(u + 0.62, v + 1.15),
        wall.map(u + 0.62, v + 0.9),
      ]),
      { fill: brush.colours.skyLow, 'fill-opacity': 0.25 },
    ),
    pen(brush, glass, w, { closed: true, corners: true }),
    rule(brush, wall.map(u + 0.31, v), wall.map(u + 0.31, v + 1.15), w),
    rule(brush, wall.map(u, v + 0.6), wall.map(u + 0.62, v + 0.6), w),
    leaf(u - 0.36),
    leaf(u + 0.68),
  ].join('');
}

function entrance(brush: Brush, wall: Wall, u: number, colour: string): string {
  const bow = (inset: number): Point[] => {
    const half = 0.48 - inset;
    const arc = Array.from({ length: 11 }, (_, i) => {
      const angle = Math.PI * (1 - i / 10);
      return wall.map(u + 0.5 + half * Math.cos(angle), 1.75 + half * 0.9 * Math.sin(angle));
    });
    return [wall.map(u + 0.5 - half, 0), ...arc, wall.map(u + 0.5 + half, 0)];
  };
  const frame = bow(-0.11);
  const door = bow(0.02);
  return [
    wash(brush, polygon(frame), toned(brush, blend(wall.colour, '#f4ecdd', 0.55), wall.lit, wall.z)),
    pen(brush, frame, weightAt(wall.z, 1.4), { corners: true }),
    wash(brush, polygon(door), toned(brush, colour, wall.lit - 0.15, wall.z)),
    pen(brush, door, weightAt(wall.z, 1.5), { corners: true }),
    rule(brush, wall.map(u + 0.5, 0), wall.map(u + 0.5, 2.15), weightAt(wall.z, 1.2)),
    ...[0.2, 0.95].flatMap((v) =>
      [u + 0.12, u + 0.56].map((a) =>
        pen(brush, quad(wall, a, a + 0.32, v, v + 0.6), weightAt(wall.z, 1), {
          closed: true,
          corners: true,
          opacity: 0.5,
        }),
      ),
    ),
  ].join('');
}

function awning(brush: Brush, side: number, x: number, z: number, colour: string): string {
  const strips = Array.from({ length: 5 }, (_, i) => {
    const [z0, z1] = [z + i * 0.34, z + (i + 1) * 0.34];
    const at = (dx: number, y: number, zz: number): Point => [
      brush.camera.centre + ((x - side * dx) * brush.camera.focal) / zz,
      brush.camera.horizon + ((brush.camera.eye - y) * brush.camera.focal) / zz,
    ];
    const tone = i % 2 ? colour : blend(colour, '#f7f0e2', 0.85);
    return wash(
      brush,
      polygon([
        at(0, 2.75, z0),
        at(0, 2.75, z1),
        at(0.55, 2.35, z1),
        at(0.55, 2.2, z1),
        at(0.55, 2.2, z0),
        at(0.55, 2.35, z0),
      ]),
      toned(brush, tone, 0.1, z0),
      { rim: 0.8 },
    );
  });
  return strips.reverse().join('');
}

interface House {
  readonly z0: number;
  readonly z1: number;
  readonly height: number;
  readonly colour: string;
}

function row(brush: Brush, random: SeededRandom, from: number, to: number): House[] {
  const { wall, second, accent, stone } = brush.colours;
  const tones = [
    wall,
    blend(wall, '#f3eadb', 0.4),
    blend(second, wall, 0.35),
    blend(second, '#efe3d0', 0.45),
    blend(accent, '#eadcc6', 0.72),
    blend(wall, stone, 0.4),
  ];
  const houses: House[] = [];
  let last = -1;
  for (let z = from; z < to;) {
    const z1 = Math.min(to, z + random.between(2, 3.4));
    let tone = Math.floor(random.next() * tones.length);
    if (tone === last) tone = (tone + 1) % tones.length;
    last = tone;
    houses.push({
      z0: z,
      z1,
      height: random.between(3.9, 6.2),
      colour: houses.length < 2 ? wall : (tones[tone] ?? wall),
    });
    z = z1;
  }
  return houses;
}

function facade(
  brush: Brush,
  side: -1 | 1,
  x: number,
  house: House,
  random: SeededRandom,
  words: string,
): string {
  const lit = litBy(brush, side < 0 ? RIGHT : LEFT);
  const wall = sideWall(brush, side * x, [house.z0, house.z1], house.height, house.colour, lit);
  const { second, accent } = brush.colours;
  const shutters = random.pick([accent, second, blend(accent, second, 0.5)]);
  const many = Math.max(1, Math.floor(wall.width / 1.75));
  const cell = wall.width / many;
  const parts = Array.from({ length: many }, (_, i) => {
    const u = i * cell + (cell - 0.62) / 2;
    const ground = random.chance(0.45)
      ? entrance(brush, wall, u - 0.19, random.pick([accent, second, shade(accent, -10)]))
      : shuttered(brush, wall, u, 0.85, shutters);
    return ground + shuttered(brush, wall, u, 3, shutters);
  });
  return [
    house.z0 < 8
      ? drawWall(brush, wall, words, `${side}${house.z0.toFixed(1)}`) + weather(brush, wall, random)
      : wash(brush, wallShape(wall), toned(brush, wall.colour, wall.lit, wall.z)),
    moulding(brush, wall, 0, 0.4, shade(blend(house.colour, '#8d8477', 0.35), -4)),
    moulding(brush, wall, 2.6, 0.08, blend(house.colour, '#f4ecdd', 0.4)),
    moulding(brush, wall, house.height - 0.15, 0.16, blend('#a96a4b', house.colour, 0.4)),
    ...parts.reverse(),
    house.z0 > 4 && house.z0 < 9 && random.chance(0.45)
      ? awning(brush, side, side * x, house.z0 + 0.3, accent)
      : '',
    rule(brush, wall.map(0, 0), wall.map(0, house.height), 1.6),
    rule(brush, wall.map(wall.width, 0), wall.map(wall.width, house.height), 1.2),
    rule(brush, wall.map(0, 0), wall.map(wall.width, 0), 1.4),
  ].join('');
}

/** A house that stands out into the street, so that one of its walls faces the camera. */
function jutting(
  site: Site,
  side: -1 | 1,
  z: number,
  x: number,
  colour: string,
): { svg: string; spot: WallSpot } {
  const { brush, spec } = site;
  const [left, right] = seen(brush.camera, z);
  const range: [number, number] = side < 0 ? [left - 0.5, -x] : [x, right + 0.5];
  const wall = frontWall(brush, range, 4.6, z, colour, litBy(brush, FRONT));
  const inner = side < 0 ? [left, -x] : [x, right];
  const [a = 0, b = 0] = inner;
  return {
    svg:
      drawWall(brush, wall, spec.surface, `jut${side}`) +
      moulding(brush, wall, 0, 0.4, shade(blend(colour, '#8d8477', 0.3), -4)) +
      rule(brush, wall.map(side < 0 ? wall.width : 0, 0), wall.map(side < 0 ? wall.width : 0, 4.6), 1.7),
    spot: { x: (a + b) / 2, z, width: b - a, height: 2.7, colour },
  };
}

/** A street between two rows of houses that run to the vanishing point. */
export function streetPath(site: Site): Place {
  const { brush, spec } = site;
  const { colours, camera } = brush;
  const end = Math.max(15, site.rear * 1.8);
  const [left, right] = seen(camera, 5);
  const x = Math.max(1.05, Math.min(1.75, ((right - left) / 2) * 0.82));
  const facades = ([-1, 1] as const).map((side) => {
    const random = brush.random.fork(`row${side}`);
    return row(brush, random, 1.6, end)
      .filter((house) => x < seen(camera, house.z1)[1] + 0.4)
      .map((house) => ({ z: house.z0, svg: facade(brush, side, x, house, random, spec.surface) }));
  });
  const houses = facades.flat().sort((a, b) => b.z - a.z);
  const closing = frontWall(
    brush,
    [-x * 1.4, x * 1.4],
    3.4,
    end,
    blend(colours.wall, colours.second, 0.3),
    litBy(brush, FRONT),
  );
  const above = site.overhead === 'sky' || site.hasFar ? site.far : studioSpace(brush);
  const near = jutting(site, brush.light.side < 0 ? 1 : -1, 6.4, x * 0.74, colours.wall);
  const farther = jutting(
    site,
    brush.light.side < 0 ? -1 : 1,
    8.6,
    x * 0.8,
    blend(colours.second, '#efe3d0', 0.35),
  );
  const wanted = spec.anchors.length;
  const glass =
    site.overhead === 'ceiling'
      ? Array.from({ length: 7 }, (_, i) => {
          const z = 3.2 + i * 1.9;
          const rib = Array.from({ length: 9 }, (_, k): Point => {
            const angle = Math.PI * (1 - k / 8);
            return [
              camera.centre + (x * 1.02 * Math.cos(angle) * camera.focal) / z,
              camera.horizon + ((camera.eye - 3.4 - 0.9 * Math.sin(angle)) * camera.focal) / z,
            ];
          });
          return pen(brush, rib, weightAt(z, 3.4), { opacity: 0.75 });
        }).join('')
      : '';
  const behindJut = houses.filter((house) => house.z >= 6.4);
  const beforeJut = houses.filter((house) => house.z < 6.4);
  return {
    svg: [
      above,
      drawGround(brush, site.ground, end),
      site.hasFar
        ? ''
        : drawWall(brush, closing, '', 'end') +
          moulding(brush, closing, 3.3, 0.1, '#b07a5a') +
          [0.28, 0.6].map((t) => shuttered(brush, closing, closing.width * t, 1.6, colours.accent)).join(''),
      ...behindJut.map((house) => house.svg),
      wanted > 1 ? farther.svg : '',
      near.svg,
      ...beforeJut.map((house) => house.svg),
      glass,
    ].join(''),
    walls: [near.spot, farther.spot],
    back: 6,
  };
}
