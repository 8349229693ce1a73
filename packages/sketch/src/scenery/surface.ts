import { blend, shade } from '../drawing/colour.js';
import { flow, polygon } from '../drawing/curve.js';
import { lerp, type Point } from '../drawing/geometry.js';
import type { SeededRandom } from '../drawing/seeded-random.js';
import { group, path } from '../drawing/svg-sheet.js';
import { blot, hairlines, pen, rule, spot, toned, wash, type Brush } from './brush.js';
import { perMetre, project } from './camera.js';
import { hashWords } from './words/hash.js';
import { surfaceIn, type Surface } from './words/scene-words.js';

/** A wall with its own coordinates: u runs along it and v up it, in metres from its lower left corner. */
export interface Wall {
  readonly width: number;
  readonly height: number;
  /** Typical distance, for the haze and the weight of lines. */
  readonly z: number;
  readonly lit: number;
  readonly colour: string;
  map(u: number, v: number): Point;
}

/** A wall that faces the camera. */
export function frontWall(
  brush: Brush,
  [x0, x1]: readonly [number, number],
  height: number,
  z: number,
  colour: string,
  lit: number,
): Wall {
  return {
    width: x1 - x0,
    height,
    z,
    lit,
    colour,
    map: (u, v) => project(brush.camera, [x0 + u, v, z]),
  };
}

/** A wall that runs away from the camera at one x. u counts from its near end. */
export function sideWall(
  brush: Brush,
  x: number,
  [z0, z1]: readonly [number, number],
  height: number,
  colour: string,
  lit: number,
): Wall {
  return {
    width: z1 - z0,
    height,
    z: (z0 + z1) / 2,
    lit,
    colour,
    map: (u, v) => project(brush.camera, [x, v, z0 + u]),
  };
}

/** The corners of a rectangle on a wall, from its lower near one on. */
export const quad = (wall: Wall, u0: number, u1: number, v0: number, v1: number): Point[] => [
  wall.map(u0, v0),
  wall.map(u1, v0),
  wall.map(u1, v1),
  wall.map(u0, v1),
];

export const wallShape = (wall: Wall): string => polygon(quad(wall, 0, wall.width, 0, wall.height));

const tint = (brush: Brush, wall: Wall, steps: number, chroma = 1): string =>
  toned(brush, shade(wall.colour, steps, chroma), wall.lit, wall.z);

/** Clouds of pigment as a broad brush leaves them. */
function clouds(brush: Brush, wall: Wall, random: SeededRandom, count: number, strength: number): string {
  const scale = perMetre(brush.camera, wall.z);
  const blots = Array.from({ length: count }, () => {
    const centre = wall.map(random.next() * wall.width, random.next() * wall.height);
    const r = random.between(0.2, 0.7) * scale;
    const colour = random.chance(0.3)
      ? toned(brush, blend(wall.colour, brush.colours.second, 0.3), wall.lit, wall.z)
      : tint(brush, wall, random.wobble(1) > 0 ? 6 : -6, 1.06);
    const flat = random.between(0.5, 0.9);
    const turn = random.between(0, Math.PI);
    return spot(
      brush.sheet,
      centre,
      r * 1.25,
      r * flat * 1.25,
      colour,
      strength * random.between(0.6, 1.1),
      0.3,
      turn,
    );
  });
  return blots.join('');
}

/** Courses of bricks, stones or tiles. Some pieces differ in tone; the joints are drawn as lines. */
function courses(
  brush: Brush,
  wall: Wall,
  random: SeededRandom,
  size: readonly [w: number, h: number],
  bond: boolean,
  tones: readonly string[],
  share: number,
): string {
  const [w, h] = size;
  const joints: [Point, Point][] = [];
  const pieces: string[] = [];
  for (let row = 0; row * h < wall.height; row++) {
    const v0 = row * h;
    const v1 = Math.min(wall.height, v0 + h);
    joints.push([wall.map(0, v0), wall.map(wall.width, v0)]);
    for (let u = bond && row % 2 ? -w / 2 : 0; u < wall.width; u += w) {
      const [a, b] = [Math.max(0, u), Math.min(wall.width, u + w)];
      if (u > 0) joints.push([wall.map(a, v0), wall.map(a, v1)]);
      if (!random.chance(share)) continue;
      pieces.push(
        path(polygon(quad(wall, a, b, v0, v1)), {
          fill: toned(brush, random.pick(tones), wall.lit, wall.z),
          'fill-opacity': random.between(0.35, 0.85).toFixed(2),
        }),
      );
    }
  }
  return pieces.join('') + hairlines(brush, joints, 0.9, tint(brush, wall, -20), 0.4);
}

function cracks(brush: Brush, wall: Wall, random: SeededRandom, count: number): string {
  const patches = Array.from({ length: count }, () => {
    const scale = perMetre(brush.camera, wall.z);
    const r = random.between(0.08, 0.3) * scale;
    const d = blot(
      random,
      wall.map(random.next() * wall.width, random.next() ** 1.5 * wall.height),
      r * 1.3,
      r,
      0.4,
      12,
    );
    return wash(brush, d, toned(brush, blend(wall.colour, '#a08268', 0.4), wall.lit - 0.1, wall.z), {
      opacity: 0.5,
      rim: 0.8,
    });
  });
  const lines = Array.from({ length: count * 2 }, () => {
    let [u, v] = [random.next() * wall.width, random.next() * wall.height];
    const line = Array.from({ length: 6 }, (): Point => {
      u += random.wobble(0.12);
      v -= random.between(0.03, 0.13);
      return wall.map(u, Math.max(0, v));
    });
    return pen(brush, line, 1, { opacity: 0.45 });
  });
  return patches.join('') + lines.join('');
}

/** Raised frames between a skirting and a rail. */
function panels(brush: Brush, wall: Wall): string {
  const many = Math.max(1, Math.round(wall.width / 0.85));
  const cell = wall.width / many;
  const frame = (u0: number, u1: number, v0: number, v1: number): string => {
    const outer = quad(wall, u0, u1, v0, v1);
    const inner = quad(wall, u0 + 0.035, u1 - 0.035, v0 + 0.035, v1 - 0.035);
    const edge = (line: Point[], opacity: number): string =>
      line.map((p, i) => rule(brush, p, line[(i + 1) % 4] ?? p, 1.1, { opacity })).join('');
    return (
      path(polygon(outer), { fill: tint(brush, wall, 3), 'fill-opacity': 0.6 }) +
      edge(outer, 0.55) +
      edge(inner, 0.3)
    );
  };
  const rail = Math.min(0.95, wall.height * 0.34);
  return (
    Array.from({ length: many }, (_, i) => {
      const [u0, u1] = [i * cell + 0.08, (i + 1) * cell - 0.08];
      return frame(u0, u1, 0.2, rail - 0.08) + frame(u0, u1, rail + 0.1, wall.height - 0.18);
    }).join('') + rule(brush, wall.map(0, rail), wall.map(wall.width, rail), 1.4, { opacity: 0.6 })
  );
}

function stripes(brush: Brush, wall: Wall): string {
  const breadth = 0.11;
  const parts: string[] = [];
  for (let u = 0; u < wall.width; u += breadth * 2) {
    const b = Math.min(wall.width, u + breadth);
    parts.push(
      path(polygon(quad(wall, u, b, 0, wall.height)), {
        fill: toned(brush, blend(wall.colour, brush.colours.second, 0.55), wall.lit, wall.z),
        'fill-opacity': 0.55,
      }),
    );
  }
  return parts.join('');
}

function boards(brush: Brush, wall: Wall, random: SeededRandom): string {
  const breadth = 0.16;
  const parts: string[] = [];
  for (let u = 0; u < wall.width; u += breadth) {
    const b = Math.min(wall.width, u + breadth);
    const fill = toned(
      brush,
      shade(blend(wall.colour, brush.colours.wood, 0.35), random.wobble(8)),
      wall.lit,
      wall.z,
    );
    parts.push(
      path(polygon(quad(wall, u, b, 0, wall.height)), {
        fill,
        'fill-opacity': 0.75,
      }),
    );
    parts.push(rule(brush, wall.map(u, 0), wall.map(u, wall.height), 1.1, { opacity: 0.45 }));
  }
  return parts.join('');
}

function weave(brush: Brush, wall: Wall, random: SeededRandom): string {
  const threads = Array.from({ length: 420 }, (_, i): [Point, Point] => {
    const [u, v] = [random.next() * wall.width, random.next() * wall.height];
    const length = random.between(0.15, 0.6);
    return i % 2
      ? [wall.map(u, v), wall.map(Math.min(wall.width, u + length), v)]
      : [wall.map(u, v), wall.map(u, Math.min(wall.height, v + length))];
  });
  return (
    hairlines(brush, threads.slice(0, 210), 0.8, tint(brush, wall, -11), 0.4) +
    hairlines(brush, threads.slice(210), 0.8, tint(brush, wall, 9), 0.5)
  );
}

/** Long, soft reflections on a polished wall. */
function sheen(brush: Brush, wall: Wall, random: SeededRandom): string {
  return Array.from({ length: 5 }, () => {
    const u = random.next() * wall.width;
    const breadth = random.between(0.06, 0.3);
    const band: Point[] = [
      wall.map(u, 0),
      wall.map(u + breadth, 0),
      wall.map(u + breadth + 0.3, wall.height),
      wall.map(u + 0.3, wall.height),
    ];
    return path(polygon(band), { fill: tint(brush, wall, 12), 'fill-opacity': 0.3 });
  }).join('');
}

function formwork(brush: Brush, wall: Wall, random: SeededRandom): string {
  const lines: string[] = [];
  for (let u = 1.1; u < wall.width; u += 1.1)
    lines.push(rule(brush, wall.map(u, 0), wall.map(u, wall.height), 1.2, { opacity: 0.4 }));
  for (let v = 0.95; v < wall.height; v += 0.95)
    lines.push(rule(brush, wall.map(0, v), wall.map(wall.width, v), 1.2, { opacity: 0.4 }));
  const holes: string[] = [];
  for (let u = 0.25; u < wall.width; u += 0.55) {
    for (let v = 0.48; v < wall.height; v += 0.95) {
      const [x, y] = wall.map(u, v);
      const r = 0.018 * perMetre(brush.camera, wall.z);
      holes.push(
        path(blot(random, [x, y], r, r, 0.1, 6), { fill: tint(brush, wall, -26), 'fill-opacity': 0.6 }),
      );
    }
  }
  return clouds(brush, wall, random, 10, 0.25) + lines.join('') + holes.join('');
}

/** Drips and weathering on a wall outdoors. */
export function weather(brush: Brush, wall: Wall, random: SeededRandom): string {
  const drips = Array.from({ length: 12 }, () => {
    const u = random.next() * wall.width;
    const length = random.between(0.1, 0.5) * wall.height;
    const line = [0, 0.5, 1].map((t): Point => wall.map(u + random.wobble(0.02), wall.height - t * length));
    return path(flow(line), {
      fill: 'none',
      stroke: tint(brush, wall, -12),
      'stroke-width': (random.between(2, 7) * brush.unit).toFixed(1),
      'stroke-opacity': 0.14,
      'stroke-linecap': 'round',
    });
  });
  return drips.join('');
}

/**
 * The texture of a wall: the texture that `surface_character` names, or a limewash whose depth depends on the
 * words.
 */
function drawSurface(brush: Brush, wall: Wall, words: string, label: string): string {
  const random = brush.random.fork(`surface${label}`);
  const known = surfaceIn(words);
  const { colour } = wall;
  const tones = [
    shade(colour, 5),
    shade(colour, -6),
    blend(colour, brush.colours.second, 0.16),
    shade(colour, -2, 1.15),
  ];
  const draw: Readonly<Record<Surface, () => string>> = {
    limewash: () => clouds(brush, wall, random, 26, 0.42),
    brick: () => courses(brush, wall, random, [0.25, 0.085], true, tones, 0.7),
    blocks: () => courses(brush, wall, random, [0.62, 0.31], true, tones, 0.8),
    tiled: () => courses(brush, wall, random, [0.13, 0.13], false, tones, 0.6),
    cracked: () => clouds(brush, wall, random, 14, 0.35) + cracks(brush, wall, random, 7),
    panelled: () => panels(brush, wall),
    striped: () => stripes(brush, wall),
    boards: () => boards(brush, wall, random),
    woven: () => weave(brush, wall, random),
    polished: () => sheen(brush, wall, random),
    concrete: () => formwork(brush, wall, random),
  };
  const depth = words === '' ? 0.26 : 0.34 + (hashWords(words) % 20) / 80;
  const many = words === '' ? 9 : 12 + (hashWords(words) % 12);
  const inner = known ? draw[known]() : clouds(brush, wall, random, many, depth);
  return group({ 'clip-path': brush.sheet.clip(wallShape(wall)) }, inner);
}

/** A wall with its texture and with light that falls off along it. */
export function drawWall(brush: Brush, wall: Wall, words: string, label: string): string {
  const lean = brush.light.contrast * 0.22;
  const [from, to] = [wall.map(0, wall.height), wall.map(wall.width, 0)];
  const left = brush.light.side < 0 ? lean : -lean;
  const paint = brush.sheet.linear(
    Math.round(from[0]),
    Math.round(from[1]),
    Math.round(to[0]),
    Math.round(lerp(from[1], to[1], 0.35)),
    [
      [0, toned(brush, wall.colour, wall.lit + left, wall.z)],
      [1, toned(brush, wall.colour, wall.lit - left, wall.z)],
    ],
  );
  return wash(brush, wallShape(wall), paint, { rim: 0 }) + drawSurface(brush, wall, words, label);
}

/** A moulding along a wall: a skirting or a cornice. */
export function moulding(brush: Brush, wall: Wall, v: number, height: number, colour: string): string {
  const top = v + height;
  return (
    wash(brush, polygon(quad(wall, 0, wall.width, v, top)), toned(brush, colour, wall.lit, wall.z), {
      rim: 0,
    }) +
    rule(brush, wall.map(0, v), wall.map(wall.width, v), 1.3, { opacity: 0.6 }) +
    rule(brush, wall.map(0, top), wall.map(wall.width, top), 1.2, { opacity: 0.7 })
  );
}
