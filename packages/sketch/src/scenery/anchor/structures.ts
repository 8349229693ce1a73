import { blend, shade } from '../../drawing/colour.js';
import { flow, polygon } from '../../drawing/curve.js';
import { ring, type Point } from '../../drawing/geometry.js';
import { path } from '../../drawing/svg-sheet.js';
import {
  blot,
  edges,
  FRONT,
  hairlines,
  on,
  pen,
  plane,
  toned,
  wash,
  weightAt,
  type Brush,
} from '../brush.js';
import { perMetre, topOf, upright } from '../camera.js';
import { box, disc, lathe, shadowOf } from '../solids.js';
import { standing } from './anchor.js';

/** A column with base and capital. If it is taller than the picture, it runs out of it. */
export function drawColumn(
  brush: Brush,
  x: number,
  z: number,
  height: number,
  colour: string,
  radius = 0.16,
): string {
  const fluting = [-0.62, -0.25, 0.15, 0.52].map((u): [Point, Point] => [
    on(brush, x + u * radius, 0.3, z),
    on(brush, x + u * radius * 0.9, height - 0.25, z),
  ]);
  return [
    box(
      brush,
      { x: [x - radius * 1.45, x + radius * 1.45], y: [0, 0.1], z: [z - radius * 1.4, z + radius * 1.4] },
      colour,
    ),
    lathe(
      brush,
      [x, 0.1, z],
      [
        [radius * 1.25, 0],
        [radius * 1.3, 0.06],
        [radius * 1.05, 0.1],
        [radius * 1.15, 0.14],
        [radius, 0.2],
      ],
      colour,
      { weight: 1.2 },
    ),
    lathe(
      brush,
      [x, 0.28, z],
      [
        [radius, 0],
        [radius * 1.02, height * 0.3],
        [radius * 0.86, height - 0.5],
      ],
      colour,
    ),
    hairlines(brush, fluting, 1.2, toned(brush, shade(colour, -14), 0, z), 0.35),
    lathe(
      brush,
      [x, height - 0.24, z],
      [
        [radius * 0.88, 0],
        [radius * 1.05, 0.05],
        [radius * 1.3, 0.14],
      ],
      colour,
      { weight: 1.2 },
    ),
    box(
      brush,
      {
        x: [x - radius * 1.45, x + radius * 1.45],
        y: [height - 0.1, height],
        z: [z - radius * 1.4, z + radius * 1.4],
      },
      colour,
    ),
  ].join('');
}

const column = standing(0.6, [0.2, 1.5], (brush, { x, z, height }) => {
  const stone = blend(brush.colours.wall, '#f0e9dc', 0.45);
  return drawColumn(brush, x, z, Math.min(height, 2.7), stone);
});

const stairs = standing(1.3, [0.7, 0.5], (brush, { x, z, side, colour }) => {
  const stone = blend(brush.colours.wall, colour, 0.25);
  const treads = Array.from({ length: 5 }, (_, i) => {
    const near = z + i * 0.26;
    const inner = x - side * 0.62 + side * i * 0.12;
    const outer = x + side * 0.95;
    const across: [number, number] = inner < outer ? [inner, outer] : [outer, inner];
    return box(brush, { x: across, y: [0, (i + 1) * 0.17], z: [near, z + 1.5] }, shade(stone, i * 1.2));
  });
  return treads.reverse().join('');
});

const fence = standing(1.6, [0.85, 0.5], (brush, { x, z }) => {
  const paint = blend(brush.colours.second, '#efe8d9', 0.55);
  const pickets = Array.from({ length: 11 }, (_, i) => {
    const u = x - 0.85 + i * 0.17;
    const corners = [
      on(brush, u - 0.035, 0, z),
      on(brush, u - 0.035, 0.86, z),
      on(brush, u, 0.93, z),
      on(brush, u + 0.035, 0.86, z),
      on(brush, u + 0.035, 0, z),
    ];
    return (
      wash(brush, polygon(corners), toned(brush, paint, 0.1, z)) +
      pen(brush, corners, weightAt(z, 1.2), { corners: true })
    );
  });
  const rail = (y: number): string =>
    plane(brush, upright([x - 0.95, x + 0.95], [y, y + 0.07], z), shade(paint, -8), FRONT);
  return rail(0.22) + rail(0.66) + pickets.join('');
});

const wall = standing(1.6, [0.9, 0.4], (brush, { x, z }) => {
  const { stone } = brush.colours;
  const random = brush.random.fork(`lowwall${x.toFixed(2)}`);
  const stones: string[] = [];
  for (let row = 0; row < 5; row++) {
    for (let u = -0.9 - (row % 2) * 0.12; u < 0.85;) {
      const w = random.between(0.16, 0.34);
      const centre = on(brush, x + u + w / 2, row * 0.14 + 0.07, z);
      const scale = perMetre(brush.camera, z);
      stones.push(
        wash(
          brush,
          blot(random, centre, (w / 2) * scale, 0.068 * scale, 0.12, 8),
          toned(brush, shade(stone, random.wobble(11)), 0, z),
          { rim: 0.9 },
        ),
      );
      u += w;
    }
  }
  return (
    box(brush, { x: [x - 0.95, x + 0.95], y: [0, 0.68], z: [z + 0.02, z + 0.3] }, shade(stone, -16)) +
    stones.join('') +
    box(brush, { x: [x - 1, x + 1], y: [0.68, 0.75], z: [z - 0.03, z + 0.34] }, shade(stone, 6))
  );
});

const fountain = standing(1.5, [0.7, 0.4], (brush, { x, z }) => {
  const { stone, sky } = brush.colours;
  const water = blend(sky, '#dceaec', 0.4);
  const jets = [-1, -0.5, 0.5, 1].map((u) =>
    pen(
      brush,
      [on(brush, x, 1.32, z), on(brush, x + u * 0.1, 1.42, z), on(brush, x + u * 0.24, 1.05, z)],
      2.2,
      { colour: '#f4fafa', opacity: 0.9 },
    ),
  );
  return [
    lathe(
      brush,
      [x, 0, z],
      [
        [0.66, 0],
        [0.7, 0.05],
        [0.68, 0.3],
        [0.74, 0.36],
      ],
      stone,
    ),
    disc(brush, [x, 0.36, z], 0.64, water),
    lathe(
      brush,
      [x, 0.36, z],
      [
        [0.12, 0],
        [0.07, 0.12],
        [0.1, 0.3],
        [0.06, 0.46],
      ],
      stone,
    ),
    lathe(
      brush,
      [x, 0.82, z],
      [
        [0.1, 0],
        [0.3, 0.08],
        [0.38, 0.15],
      ],
      stone,
    ),
    disc(brush, [x, 0.97, z], 0.34, water),
    lathe(
      brush,
      [x, 0.97, z],
      [
        [0.06, 0],
        [0.04, 0.15],
        [0.07, 0.26],
        [0.02, 0.34],
      ],
      stone,
    ),
    ...jets,
  ].join('');
});

const rock = standing(1.1, [0.5, 0.5], (brush, { x, z, outdoors }) => {
  const random = brush.random.fork(`rock${x.toFixed(2)}`);
  const colour = outdoors ? blend(brush.colours.stone, '#8d8577', 0.4) : brush.colours.stone;
  const stone = (cx: number, dz: number, w: number, h: number): string => {
    const at = (u: number, v: number): Point =>
      on(brush, x + cx + u * w + random.wobble(0.03), v * h, z + dz);
    const body = [
      at(-0.5, 0),
      at(-0.53, 0.35),
      at(-0.3, 0.82),
      at(0.02, 1),
      at(0.34, 0.78),
      at(0.55, 0.3),
      at(0.5, 0),
    ];
    const ridge = [at(-0.28, 0.8), at(-0.02, 0.62), at(0.1, 0.3), at(0.04, 0)];
    const [first] = [at(-0.5, 0)];
    const dark =
      brush.light.side < 0
        ? [...ridge, at(0.5, 0), at(0.55, 0.3), at(0.34, 0.78), at(0.02, 1)]
        : [...ridge, first, at(-0.53, 0.35)];
    return [
      wash(brush, polygon(body), toned(brush, colour, 0.4, z)),
      path(polygon(dark), { fill: toned(brush, colour, -0.7, z), 'fill-opacity': 0.75 }),
      pen(brush, body, weightAt(z, 1.8), { closed: true, corners: true }),
      pen(brush, ridge, weightAt(z, 1.1), { opacity: 0.6 }),
    ].join('');
  };
  return stone(0.08, 0.25, 0.85, 0.62) + stone(-0.34, -0.05, 0.45, 0.3) + stone(0.42, -0.1, 0.3, 0.19);
});

const bicycle = standing(1.6, [0.75, 0.5], (brush, { x, z, side, colour }) => {
  const scale = perMetre(brush.camera, z);
  const at = (u: number, y: number): Point => on(brush, x + side * u, y, z);
  const wheel = (u: number): string => {
    const [cx, cy] = at(u, 0.34);
    const r = 0.33 * scale;
    const spokes = Array.from({ length: 9 }, (_, i): [Point, Point] => {
      const angle = (i / 9) * Math.PI;
      return [
        [cx + r * Math.cos(angle), cy + r * Math.sin(angle)],
        [cx - r * Math.cos(angle), cy - r * Math.sin(angle)],
      ];
    });
    const rim = ring([cx, cy], r, 18);
    return (
      hairlines(brush, spokes, 0.7, brush.colours.line, 0.35) +
      path(flow(rim), { fill: 'none', stroke: '#3d3733', 'stroke-width': (0.035 * scale).toFixed(1) }) +
      path(flow(rim), { fill: 'none', stroke: '#b9b2a6', 'stroke-width': (0.009 * scale).toFixed(1) })
    );
  };
  const tube = (...line: Point[]): string =>
    path(`M${line.map((p) => p.map((v) => v.toFixed(1)).join(' ')).join('L')}`, {
      fill: 'none',
      stroke: toned(brush, colour, 0.1, z),
      'stroke-width': (0.034 * scale).toFixed(1),
      'stroke-linejoin': 'round',
      'stroke-linecap': 'round',
    });
  const dark = (...line: Point[]): string =>
    pen(brush, line, (0.035 * scale) / brush.unit, { colour: '#3d3733', opacity: 1.1 });
  const basket = [at(0.46, 0.98), at(0.76, 0.98), at(0.71, 0.74), at(0.5, 0.74)];
  return [
    wheel(-0.52),
    wheel(0.54),
    tube(at(-0.52, 0.34), at(-0.06, 0.34), at(0.4, 0.74), at(-0.18, 0.7), at(-0.52, 0.34)),
    tube(at(-0.06, 0.34), at(-0.21, 0.82)),
    tube(at(0.54, 0.34), at(0.4, 0.74), at(0.36, 0.94)),
    dark(at(-0.34, 0.85), at(-0.2, 0.86), at(-0.06, 0.84)),
    dark(at(0.36, 0.94), at(0.3, 0.98), at(0.2, 0.97)),
    wash(brush, polygon(basket), toned(brush, '#b98f5d', 0, z)),
    pen(brush, basket, weightAt(z, 1.3), { closed: true, corners: true }),
  ].join('');
});

const parasol = standing(1.7, [0.7, 1.4], (brush, { x, z, colour }) => {
  const top = on(brush, x, 2.35, z);
  const rim = Array.from({ length: 9 }, (_, i): Point => {
    const angle = Math.PI - (i / 8) * Math.PI;
    return on(brush, x + 1.02 * Math.cos(angle), 1.9 - 0.05 * Math.sin(angle), z - 0.5 * Math.sin(angle));
  });
  const gores = rim.slice(1).map((p, i) => {
    const q = rim[i] ?? p;
    const low: Point = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2 - 3 * brush.unit];
    const cloth = i % 2 ? blend(colour, '#f7f0e2', 0.8) : colour;
    const lit = brush.light.side < 0 ? 0.6 - i * 0.17 : -0.6 + i * 0.17;
    return path(`M${top.join(' ')}L${q.join(' ')}Q${low.join(' ')} ${p.join(' ')}Z`, {
      fill: toned(brush, cloth, lit, z),
    });
  });
  return [
    lathe(
      brush,
      [x, 0, z],
      [
        [0.2, 0],
        [0.2, 0.08],
        [0.03, 0.12],
        [0.025, 2.2],
      ],
      brush.colours.wood,
      { smooth: false },
    ),
    ...gores,
    ...rim.map((p) =>
      pen(brush, [top, [(top[0] + p[0]) / 2, (top[1] + p[1]) / 2 - 2], p], weightAt(z, 1.2), {
        opacity: 0.7,
      }),
    ),
    pen(brush, rim, weightAt(z, 1.5)),
  ].join('');
});

/** A free-standing wall, for things that hang on walls in places without walls. */
export function freestanding(
  brush: Brush,
  x: number,
  z: number,
  width: number,
  height: number,
  colour: string,
): string {
  return (
    shadowOf(brush, [x, z], width / 2, 1.2) +
    box(brush, { x: [x - width / 2, x + width / 2], y: [0, height], z: [z, z + 0.3] }, colour, 1.9)
  );
}

/** A beam across the picture that overhead things hang from. */
export function beam(brush: Brush, z: number, y: number, colour: string): string {
  const corners = upright([-6, 6], [y, y + 0.12], z);
  return y > topOf(brush.camera, z)
    ? ''
    : plane(brush, corners, colour, FRONT) + edges(brush, corners, weightAt(z, 1.4));
}

export const STRUCTURES = { column, stairs, fence, wall, fountain, rock, bicycle, parasol };
