import { blend, shade } from '../../drawing/colour.js';
import { outline } from '../../drawing/curve.js';
import type { Point } from '../../drawing/geometry.js';
import { hairlines, on, pen, toned, wash, weightAt, type Brush } from '../brush.js';
import { perMetre } from '../camera.js';
import { box, lathe, shadowOf } from '../solids.js';
import { standing, type Anchor, type Spot } from './anchor.js';

const leg = (brush: Brush, x: number, z: number, top: number, colour: string, splay = 0): string => {
  const line = [on(brush, x, top, z), on(brush, x + splay * 0.5, top / 2, z), on(brush, x + splay, 0, z)];
  const thick = (0.035 * perMetre(brush.camera, z)) / brush.unit;
  return (
    pen(brush, line, thick, {
      colour: toned(brush, colour, -0.2, z),
      opacity: 1 / Math.max(0.3, brush.pen),
    }) +
    pen(
      brush,
      line.map(([px, py]): Point => [px + thick * 0.4 * brush.unit, py]),
      1.1,
    )
  );
};

/** A cushion with a dent from use. */
function pillow(
  brush: Brush,
  x: number,
  y: number,
  z: number,
  width: number,
  height: number,
  colour: string,
): string {
  const at = (u: number, v: number): Point => on(brush, x + u * width, y + v * height, z);
  const shape = [
    at(-0.5, 0.06),
    at(-0.44, 0.5),
    at(-0.52, 0.96),
    at(-0.2, 0.9),
    at(0.2, 0.92),
    at(0.52, 0.98),
    at(0.45, 0.5),
    at(0.5, 0.04),
    at(0, 0),
  ];
  return (
    wash(brush, outline(shape), toned(brush, colour, 0.1, z)) +
    pen(brush, shape, weightAt(z, 1.4), { closed: true }) +
    pen(brush, [at(-0.4, 0.85), at(-0.2, 0.6), at(-0.12, 0.4)], weightAt(z, 1), { opacity: 0.4 })
  );
}

const bench = standing(1.2, [0.58, 0.5], (brush, { x, z, colour, outdoors }) => {
  const seat = outdoors ? brush.colours.stone : brush.colours.wood;
  return [
    leg(brush, x - 0.46, z + 0.28, 0.42, shade(seat, -12)),
    leg(brush, x + 0.46, z + 0.28, 0.42, shade(seat, -12)),
    box(brush, { x: [x - 0.52, x - 0.4], y: [0, 0.4], z: [z, z + 0.06] }, shade(seat, -6)),
    box(brush, { x: [x + 0.4, x + 0.52], y: [0, 0.4], z: [z, z + 0.06] }, shade(seat, -6)),
    box(brush, { x: [x - 0.6, x + 0.6], y: [0.4, 0.47], z: [z - 0.02, z + 0.36] }, seat),
    pillow(brush, x + 0.32, 0.47, z + 0.12, 0.4, 0.2, colour),
  ].join('');
});

const stool = standing(0.5, [0.2, 0.6], (brush, { x, z, colour }) => {
  const { wood } = brush.colours;
  return [
    leg(brush, x + 0.1, z + 0.12, 0.6, wood, 0.07),
    leg(brush, x - 0.1, z + 0.12, 0.6, wood, -0.07),
    leg(brush, x - 0.13, z, 0.6, wood, -0.08),
    leg(brush, x + 0.13, z, 0.6, wood, 0.08),
    lathe(
      brush,
      [x, 0.57, z],
      [
        [0.17, 0],
        [0.19, 0.02],
        [0.19, 0.05],
        [0.17, 0.07],
      ],
      colour,
    ),
  ].join('');
});

const chair: Anchor = {
  belongs: 'floor',
  width: 0.65,
  draw(brush, { x, z, colour, side }) {
    const wood = shade(brush.colours.wood, -8);
    const at = (u: number, y: number, dz: number): Point => on(brush, x + u, y, z + dz);
    const back = [
      at(-0.22, 0.86, 0.4),
      at(-0.23, 0.62, 0.39),
      at(0.23, 0.62, 0.39),
      at(0.22, 0.86, 0.4),
      at(0, 0.91, 0.4),
    ];
    const seat = [at(-0.24, 0.45, 0), at(0.24, 0.45, 0), at(0.23, 0.46, 0.4), at(-0.23, 0.46, 0.4)];
    const spindles = [-0.14, -0.05, 0.05, 0.14].map((u): [Point, Point] => [
      at(u, 0.46, 0.39),
      at(u, 0.64, 0.39),
    ]);
    return [
      shadowOf(brush, [x, z + 0.15], 0.25, 0.7),
      leg(brush, x - 0.2, z + 0.38, 0.88, wood),
      leg(brush, x + 0.2, z + 0.38, 0.88, wood),
      hairlines(brush, spindles, 2.4, toned(brush, wood, -0.2, z), 1),
      wash(brush, outline(back), toned(brush, wood, 0.1, z)),
      pen(brush, back, weightAt(z), { closed: true }),
      leg(brush, x - 0.22, z, 0.45, wood, -0.02),
      leg(brush, x + 0.22, z, 0.45, wood, 0.02),
      wash(brush, outline(seat), toned(brush, colour, 0.4, z)),
      pen(brush, seat, weightAt(z), { closed: true }),
      side < 0
        ? ''
        : pen(brush, [at(-0.2, 0.2, 0), at(0, 0.2, 0), at(0.2, 0.2, 0)], weightAt(z, 1.6), { colour: wood }),
    ].join('');
  },
};

const table = standing(1.1, [0.45, 0.7], (brush, { x, z, colour }) => {
  const { wood } = brush.colours;
  return [
    lathe(
      brush,
      [x, 0, z],
      [
        [0.22, 0],
        [0.2, 0.03],
        [0.05, 0.08],
        [0.045, 0.6],
        [0.1, 0.7],
      ],
      shade(wood, -8),
    ),
    lathe(
      brush,
      [x, 0.7, z],
      [
        [0.44, 0],
        [0.45, 0.02],
        [0.45, 0.045],
      ],
      wood,
    ),
    lathe(
      brush,
      [x + 0.08, 0.745, z],
      [
        [0.05, 0],
        [0.09, 0.08],
        [0.04, 0.2],
        [0.035, 0.25],
        [0.05, 0.27],
      ],
      colour,
      { hollow: true },
    ),
    lathe(
      brush,
      [x - 0.16, 0.745, z - 0.05],
      [
        [0.09, 0],
        [0.12, 0.05],
        [0.125, 0.06],
      ],
      blend(colour, '#f3ecde', 0.6),
      { hollow: true },
    ),
  ].join('');
});

const sofa = standing(1.5, [0.7, 0.6], (brush, { x, z, colour }) => {
  const cover = blend(colour, brush.colours.second, 0.2);
  return [
    box(brush, { x: [x - 0.68, x + 0.68], y: [0.12, 0.82], z: [z + 0.5, z + 0.66] }, shade(cover, -3)),
    box(brush, { x: [x - 0.6, x + 0.6], y: [0.12, 0.42], z: [z, z + 0.5] }, cover),
    box(brush, { x: [x - 0.74, x - 0.56], y: [0.06, 0.58], z: [z, z + 0.6] }, shade(cover, -2)),
    box(brush, { x: [x + 0.56, x + 0.74], y: [0.06, 0.58], z: [z, z + 0.6] }, shade(cover, -2)),
    pillow(brush, x - 0.34, 0.42, z + 0.3, 0.42, 0.36, brush.colours.accent),
    pillow(brush, x + 0.3, 0.42, z + 0.3, 0.44, 0.34, blend(brush.colours.wall, '#f5efe2', 0.5)),
  ].join('');
});

const cushion = standing(0.9, [0.4, 0.3], (brush, { x, z, colour }) =>
  [
    lathe(
      brush,
      [x + 0.12, 0, z + 0.1],
      [
        [0.2, 0],
        [0.26, 0.08],
        [0.26, 0.2],
        [0.2, 0.29],
        [0.05, 0.3],
      ],
      brush.colours.second,
    ),
    pillow(brush, x - 0.2, 0, z - 0.05, 0.42, 0.36, colour),
  ].join(''),
);

const plinth = standing(0.9, [0.36, 1], (brush, { x, z, side, colour }) => {
  const tall = blend(brush.colours.wall, '#f5efe4', 0.35);
  return [
    box(brush, { x: [x - 0.24, x + 0.2], y: [0, 0.98], z: [z + 0.1, z + 0.5] }, tall),
    shadowOf(brush, [x - side * 0.3, z - 0.3], 0.2, 0.4),
    box(
      brush,
      { x: [x - side * 0.32 - 0.2, x - side * 0.32 + 0.18], y: [0, 0.42], z: [z - 0.3, z + 0.06] },
      colour,
    ),
  ].join('');
});

const ball = (brush: Brush, x: number, y: number, z: number, r: number, colour: string): string =>
  lathe(
    brush,
    [x, y, z],
    Array.from({ length: 9 }, (_, i): Point => {
      const angle = -Math.PI / 2 + (Math.PI * i) / 8;
      return [Math.max(0.004, r * Math.cos(angle)), r + r * Math.sin(angle)];
    }),
    colour,
  );

const sculpture = standing(0.7, [0.3, 0.9], (brush, { x, z, colour }) => {
  const stone = blend(brush.colours.wall, '#f5efe4', 0.4);
  return [
    box(brush, { x: [x - 0.22, x + 0.22], y: [0, 0.62], z: [z, z + 0.4] }, stone),
    ball(brush, x, 0.62, z + 0.2, 0.21, colour),
    ball(brush, x + 0.02, 1.03, z + 0.2, 0.12, blend(colour, '#f3eadb', 0.6)),
  ].join('');
});

const ladder = standing(0.6, [0.22, 0.8], (brush, { x, z, side, height }) => {
  const wood = brush.colours.wood;
  const top = Math.min(2.1, height);
  const thick = (0.045 * perMetre(brush.camera, z)) / brush.unit;
  const rail = (dx: number): Point[] =>
    [0, 0.5, 1].map((t) => on(brush, x + dx - side * -0.12 * t, t * top, z + t * 0.3));
  const paint = { colour: toned(brush, wood, 0, z), opacity: 1 / Math.max(0.3, brush.pen) };
  const rungs = Array.from({ length: 6 }, (_, i) => {
    const t = 0.1 + i * 0.155;
    const shift = side * 0.12 * t;
    return pen(
      brush,
      [
        on(brush, x - 0.2 + shift, t * top, z),
        on(brush, x + shift, t * top, z),
        on(brush, x + 0.2 + shift, t * top, z),
      ],
      thick * 0.8,
      paint,
    );
  });
  return (
    rungs.join('') +
    pen(brush, rail(-0.2), thick, paint) +
    pen(brush, rail(0.2), thick, paint) +
    pen(brush, rail(-0.18), 1.1) +
    pen(brush, rail(0.22), 1.1)
  );
});

/** The piece for unknown words: a smooth form on a low block, in the accent colour. */
const object = standing(0.7, [0.28, 0.6], (brush, { x, z, colour }: Spot) => {
  return [
    lathe(
      brush,
      [x, 0, z],
      [
        [0.28, 0],
        [0.28, 0.14],
      ],
      blend(brush.colours.wall, '#f5efe4', 0.3),
      { smooth: false },
    ),
    lathe(
      brush,
      [x, 0.14, z],
      [
        [0.12, 0],
        [0.19, 0.13],
        [0.22, 0.32],
        [0.2, 0.52],
        [0.13, 0.72],
        [0.02, 0.8],
      ],
      colour,
    ),
  ].join('');
});

export const FURNITURE = { bench, stool, chair, table, sofa, cushion, plinth, sculpture, ladder, object };
