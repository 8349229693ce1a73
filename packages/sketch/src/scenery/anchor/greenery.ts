import { blend, shade } from '../../drawing/colour.js';
import { flow, outline } from '../../drawing/curve.js';
import { lerp, profile, type Point } from '../../drawing/geometry.js';
import { path } from '../../drawing/svg-sheet.js';
import { blot, hairlines, on, pen, toned, weightAt, type Brush } from '../brush.js';
import { perMetre } from '../camera.js';
import { lathe, shadowOf } from '../solids.js';
import { standing, type Anchor, type Spot } from './anchor.js';
import { blossoms, crown, frond, leaf, trunk } from './foliage.js';

const POT: readonly Point[] = [
  [0.13, 0],
  [0.17, 0.08],
  [0.2, 0.2],
  [0.215, 0.3],
  [0.2, 0.32],
];

/** A pot on the floor, whose colour is the spot's. */
const pot = (brush: Brush, { x, z, colour }: Spot, size = 1): string =>
  lathe(
    brush,
    [x, 0, z],
    POT.map(([r, h]): Point => [r * size, h * size]),
    colour,
    { hollow: true },
  );

const plant = standing(0.9, [0.22, 1], (brush, spot) => {
  const random = brush.random.fork(`plant${spot.x.toFixed(2)}`);
  const scale = perMetre(brush.camera, spot.z);
  const root = on(brush, spot.x, 0.3, spot.z);
  const leaves = Array.from({ length: 15 }, (_, i) => {
    const t = (i + 0.5) / 15;
    const angle = -Math.PI * (0.04 + 0.92 * t) + random.wobble(0.2);
    const reach = scale * random.between(0.5, 0.95) * (1 - 0.35 * Math.abs(Math.cos(angle)));
    const elbow: Point = [root[0] + Math.cos(angle) * reach * 0.55, root[1] + Math.sin(angle) * reach * 0.62];
    const tip: Point = [root[0] + Math.cos(angle) * reach, root[1] + Math.sin(angle) * reach + reach * 0.13];
    const order = random.next();
    return {
      order,
      svg:
        pen(
          brush,
          [root, [lerp(root[0], elbow[0], 0.5), lerp(root[1], elbow[1], 0.6)], elbow],
          weightAt(spot.z, 1.4),
          { colour: shade(brush.colours.leaf, -20) },
        ) +
        leaf(
          brush,
          elbow,
          tip,
          random.between(0.42, 0.62),
          shade(brush.colours.leaf, lerp(-12, 12, order), 1.08),
          spot.z,
          order - 0.45,
        ),
    };
  });
  return (
    leaves
      .sort((a, b) => a.order - b.order)
      .map((one) => one.svg)
      .join('') + pot(brush, spot)
  );
});

const palm: Anchor = {
  belongs: 'floor',
  width: 1.3,
  draw(brush, spot) {
    const random = brush.random.fork(`palm${spot.x.toFixed(2)}`);
    const { x, z } = spot;
    const scale = perMetre(brush.camera, z);
    const tall = spot.outdoors ? random.between(2.3, 3) : random.between(1.15, 1.4);
    const foot = spot.outdoors ? 0 : 0.3;
    const bend = spot.side * random.between(-0.05, 0.28);
    const stem = [0, 0.35, 0.7, 1].map((t) => on(brush, x + bend * t * t, lerp(foot, tall, t), z));
    const top = stem[3] ?? [0, 0];
    const reach = scale * (spot.outdoors ? 0.95 : 0.68);
    const fronds = Array.from({ length: 11 }, (_, i) => {
      const angle = -Math.PI * (-0.12 + (1.24 * (i + random.next() * 0.6)) / 11);
      const long = reach * random.between(0.8, 1.1);
      const tip: Point = [
        top[0] + Math.cos(angle) * long,
        top[1] + Math.sin(angle) * long * 0.75 + long * 0.22,
      ];
      const crest: Point = [
        top[0] + Math.cos(angle) * long * 0.5,
        top[1] + Math.sin(angle) * long * 0.62 - long * 0.16,
      ];
      const back = i % 2 === 0 ? -8 : 5;
      return frond(brush, [top, crest, tip], long * 0.34, shade(brush.colours.leaf, back), z, random);
    });
    const wood = blend('#8d7152', brush.colours.second, 0.15);
    return [
      shadowOf(brush, [x, z], spot.outdoors ? 0.16 : 0.22, 1.4),
      spot.outdoors ? '' : pot(brush, spot),
      trunk(brush, stem, scale * (spot.outdoors ? 0.15 : 0.07), wood, z),
      ...fronds,
    ].join('');
  },
};

/** A tree in the open: its height, the breadth of its crown, its colours, and the fineness of its leaves. */
function treeOf(shape: {
  tall: number;
  crown: readonly [rx: number, ry: number];
  tint: readonly [string, number];
  leaf: number;
  bark: string;
}): Anchor {
  return {
    belongs: 'floor',
    width: shape.crown[0] * 2,
    draw(brush, spot) {
      const random = brush.random.fork(`tree${spot.x.toFixed(2)}`);
      const { x, z } = spot;
      const scale = perMetre(brush.camera, z);
      const size = spot.outdoors ? random.between(0.95, 1.15) : 0.66;
      const tall = shape.tall * size;
      const foot = spot.outdoors ? 0 : 0.3;
      const lean = random.wobble(0.16);
      const stem = [0, 0.3, 0.62, 1].map((t) =>
        on(brush, x + lean * Math.sin(t * 3) + lean * t, lerp(foot, tall, t), z),
      );
      const head = on(brush, x + lean, tall + shape.crown[1] * size * 0.45, z);
      const colour = blend(brush.colours.leaf, shape.tint[0], shape.tint[1]);
      const fork = stem[2] ?? head;
      const boughs = [-1, 1].map((turn) =>
        pen(
          brush,
          [
            fork,
            [fork[0] + turn * scale * 0.12 * size, (fork[1] + head[1]) / 2],
            [head[0] + turn * shape.crown[0] * scale * size * 0.5, head[1]],
          ],
          weightAt(z, 5 * size),
          { colour: shape.bark, opacity: 1 },
        ),
      );
      return [
        shadowOf(brush, [x, z], spot.outdoors ? 0.5 : 0.24, 0.8),
        spot.outdoors ? '' : pot(brush, spot, 1.1),
        trunk(brush, stem, scale * 0.13 * size, shape.bark, z),
        ...boughs,
        crown(
          brush,
          head,
          shape.crown[0] * scale * size,
          shape.crown[1] * scale * size,
          colour,
          z,
          random,
          shape.leaf,
        ),
      ].join('');
    },
  };
}

const tree = treeOf({ tall: 1.75, crown: [0.85, 0.8], tint: ['#5f7d45', 0.3], leaf: 0.06, bark: '#6e5642' });
const olive = treeOf({
  tall: 1.25,
  crown: [0.7, 0.55],
  tint: ['#97a284', 0.75],
  leaf: 0.055,
  bark: '#84705c',
});

/** Half-breadth of a cypress over its height. */
const FLAME: readonly Point[] = [
  [0, 0.07],
  [0.06, 0.2],
  [0.2, 0.29],
  [0.42, 0.27],
  [0.66, 0.185],
  [0.85, 0.085],
  [1, 0.004],
];

const cypress = standing(0.7, [0.2, 1.4], (brush, { x, z }) => {
  const random = brush.random.fork(`cypress${x.toFixed(2)}`);
  const tall = random.between(2.3, 2.9);
  const green = blend(brush.colours.leaf, '#2f4a36', 0.6);
  const scale = perMetre(brush.camera, z);
  const contour = (shrink: number): Point[] => {
    const side = (turn: number): Point[] =>
      Array.from({ length: 15 }, (_, i) => {
        const t = 0.04 + (0.96 * i) / 14;
        const ragged = 1 + random.wobble(0.22) * (1 - t * 0.5);
        return on(brush, x + turn * shrink * profile(FLAME, t) * ragged, t * tall, z);
      });
    return [...side(-1), ...side(1).reverse()];
  };
  // Tongues of leaves that all point upward. The lit ones lie on the light's side.
  const tongues = Array.from({ length: 110 }, () => {
    const t = random.between(0.03, 0.95);
    const u = random.between(-1, 1);
    const half = profile(FLAME, t);
    const [px, py] = on(brush, x + u * half * 0.95, t * tall, z);
    const long = scale * random.between(0.07, 0.15) * (1 - 0.5 * t);
    const lean = u * long * 0.25;
    const lit = u * brush.light.side * 0.7 + random.wobble(0.6);
    const tip: Point = [px + lean, py - long];
    const fat = long * 0.16;
    const shape = [
      [px, py],
      [px - fat + lean * 0.5, py - long * 0.5],
      tip,
      [px + fat + lean * 0.5, py - long * 0.45],
    ] as const;
    return path(outline(shape), {
      fill: toned(brush, shade(green, random.wobble(9)), lit, z),
      'fill-opacity': 0.85,
    });
  });
  const foot = [on(brush, x, 0.16, z), on(brush, x + 0.005, 0.08, z), on(brush, x, 0, z)];
  return [
    pen(brush, foot, (0.09 * scale) / brush.unit, { colour: '#6a5644', opacity: 1.2 }),
    path(outline(contour(1)), { fill: toned(brush, green, -0.45, z) }),
    path(outline(contour(0.6)), { fill: toned(brush, green, 0.1, z), 'fill-opacity': 0.7 }),
    ...tongues,
  ].join('');
});

const cactus = standing(0.7, [0.18, 1.2], (brush, spot) => {
  const { x, z, side } = spot;
  const green = blend(brush.colours.leaf, '#5f8f6a', 0.5);
  const foot = spot.outdoors ? 0 : 0.28;
  const stalk = (dx: number, base: number, tall: number, r: number): string =>
    lathe(
      brush,
      [x + dx, base, z],
      [
        [r * 0.8, 0],
        [r, tall * 0.25],
        [r, tall * 0.75],
        [r * 0.75, tall * 0.94],
        [r * 0.25, tall],
      ],
      green,
    );
  return [
    stalk(-side * 0.2, foot + 0.42, 0.55, 0.06),
    stalk(side * 0.2, foot + 0.6, 0.42, 0.055),
    stalk(0, foot, 1.35, 0.11),
    spot.outdoors ? '' : pot(brush, spot),
  ].join('');
});

const pampas = standing(0.7, [0.18, 0.7], (brush, spot) => {
  const random = brush.random.fork(`pampas${spot.x.toFixed(2)}`);
  const { x, z } = spot;
  const scale = perMetre(brush.camera, z);
  const straw = blend('#dcc8a2', brush.colours.accent, 0.12);
  const foot = spot.outdoors ? 0 : 0.42;
  const stalks = Array.from({ length: spot.outdoors ? 16 : 9 }, () => {
    const lean = random.wobble(spot.outdoors ? 0.5 : 0.34);
    const tall = foot + random.between(0.8, 1.25);
    const line = [0, 0.5, 1].map((t) =>
      on(brush, x + lean * t * t + random.wobble(0.02), lerp(foot, tall, t), z),
    );
    const [, elbow, tip] = line;
    if (!elbow || !tip) return '';
    const plume: Point[] = [
      elbow,
      [lerp(elbow[0], tip[0], 0.5) - scale * 0.045, lerp(elbow[1], tip[1], 0.55)],
      tip,
      [lerp(elbow[0], tip[0], 0.55) + scale * 0.05, lerp(elbow[1], tip[1], 0.5)],
    ];
    const hairs = Array.from({ length: 26 }, (): [Point, Point] => {
      const t = random.next();
      const from: Point = [lerp(elbow[0], tip[0], t), lerp(elbow[1], tip[1], t)];
      const long = scale * 0.075 * (1.15 - t * 0.7);
      return [from, [from[0] + random.wobble(long * 1.6), from[1] - long * random.between(0.5, 1.2)]];
    });
    return (
      pen(brush, line, weightAt(z, 1.2), { colour: shade(straw, -26) }) +
      path(outline(plume), {
        fill: toned(brush, shade(straw, random.wobble(8)), 0.1, z),
        'fill-opacity': 0.55,
      }) +
      hairlines(brush, hairs.slice(0, 13), 1.6, toned(brush, shade(straw, -9), 0, z), 0.6) +
      hairlines(brush, hairs.slice(13), 1.6, toned(brush, shade(straw, 9), 0, z), 0.75)
    );
  });
  const urn = spot.outdoors
    ? ''
    : lathe(
        brush,
        [x, 0, z],
        [
          [0.1, 0],
          [0.17, 0.12],
          [0.18, 0.22],
          [0.11, 0.36],
          [0.08, 0.42],
          [0.1, 0.45],
        ],
        spot.colour,
        { hollow: true },
      );
  return stalks.join('') + urn;
});

const flowers = standing(0.7, [0.2, 0.6], (brush, spot) => {
  const random = brush.random.fork(`flowers${spot.x.toFixed(2)}`);
  const { x, z } = spot;
  const scale = perMetre(brush.camera, z);
  const head = on(brush, x, 0.68, z);
  const green = crown(brush, head, scale * 0.3, scale * 0.26, brush.colours.leaf, z, random, 0.12);
  const second = shade(brush.colours.second, 8);
  return [
    green,
    blossoms(
      [head[0], head[1] - scale * 0.05],
      scale * 0.28,
      scale * 0.25,
      brush.colours.accent,
      20,
      scale * 0.045,
      random,
    ),
    blossoms(
      [head[0], head[1] - scale * 0.03],
      scale * 0.3,
      scale * 0.26,
      blend(second, '#f6efe2', 0.4),
      12,
      scale * 0.032,
      random,
    ),
    lathe(
      brush,
      [x, 0, z],
      [
        [0.1, 0],
        [0.14, 0.1],
        [0.14, 0.25],
        [0.1, 0.4],
        [0.13, 0.47],
      ],
      spot.colour,
      { hollow: true },
    ),
  ].join('');
});

const hedge = standing(1.2, [0.6, 0.5], (brush, { x, z }) => {
  const random = brush.random.fork(`hedge${x.toFixed(2)}`);
  const scale = perMetre(brush.camera, z);
  const balls = [-0.38, 0.3, 0].map((dx, i) =>
    crown(
      brush,
      on(brush, x + dx, 0.34 + (i === 2 ? -0.04 : 0.06), z),
      scale * 0.36,
      scale * 0.36,
      blend(brush.colours.leaf, '#4f7048', 0.35),
      z,
      random,
      0.05,
    ),
  );
  return balls.join('');
});

/** A climber that hangs over the top of a wall and down its side. */
const vine: Anchor = {
  belongs: 'wall',
  width: 1,
  draw(brush, spot) {
    const random = brush.random.fork(`vine${spot.x.toFixed(2)}`);
    const { x, z, side, height } = spot;
    const scale = perMetre(brush.camera, z);
    const top = Math.min(height, brush.camera.eye + (brush.camera.horizon * z) / brush.camera.focal + 0.1);
    const parts = Array.from({ length: 8 }, (_, i) => {
      const reach = random.between(0.25, 1) * (1 - i / 11);
      const start = x + side * (0.45 - i * 0.13);
      const line = [0, 0.35, 0.7, 1].map((t) =>
        on(brush, start + random.wobble(0.05) - side * 0.06 * t, top - t * reach * 1.5, z),
      );
      const leaves = line.flatMap(([px, py], k) =>
        Array.from({ length: 9 }, () => {
          const centre: Point = [
            px + random.wobble(scale * 0.17),
            py + random.between(-0.02, 0.3) * scale * 0.9,
          ];
          const r = scale * random.between(0.025, 0.06);
          return path(blot(random, centre, r, r * 0.8, 0.25, 6), {
            fill: toned(brush, shade(brush.colours.leaf, random.wobble(14)), k === 0 ? -0.3 : 0.2, z),
            'fill-opacity': 0.92,
          });
        }),
      );
      const end = line[2] ?? [0, 0];
      return (
        path(flow(line), {
          fill: 'none',
          stroke: shade(brush.colours.leaf, -25),
          'stroke-width': (1.4 * brush.unit).toFixed(1),
        }) +
        leaves.join('') +
        blossoms(end, scale * 0.15, scale * 0.28, brush.colours.accent, 8, scale * 0.03, random)
      );
    });
    return parts.join('');
  },
};

export const GREENERY = { plant, palm, tree, olive, cypress, cactus, pampas, flowers, hedge, vine };
