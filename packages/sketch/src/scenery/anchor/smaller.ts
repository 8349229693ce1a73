import { blend, shade } from '../../drawing/colour.js';
import { outline } from '../../drawing/curve.js';
import type { Point } from '../../drawing/geometry.js';
import { element, path } from '../../drawing/svg-sheet.js';
import { blot, hairlines, on, pen, toned, UP, wash, litBy, weightAt, type Brush } from '../brush.js';
import { lying, perMetre, topOf } from '../camera.js';
import { drape, lathe, shadowOf } from '../solids.js';
import { standing, type Anchor } from './anchor.js';

/** A soft glow round a flame or a bulb. */
function glow(brush: Brush, x: number, y: number, z: number, radius: number, strength: number): string {
  const [cx, cy] = on(brush, x, y, z);
  const r = radius * perMetre(brush.camera, z);
  const paint = brush.sheet.radial(Math.round(cx), Math.round(cy), Math.round(r), [
    [0, '#fff3cf', strength],
    [0.35, '#ffdc92', strength * 0.5],
    [1, '#ffd27a', 0],
  ]);
  return element('circle', { cx: cx.toFixed(1), cy: cy.toFixed(1), r: r.toFixed(1), fill: paint });
}

const strengthOf = (brush: Brush): number => (brush.light.level < 0.8 ? 0.95 : 0.6);

const URNS: readonly (readonly Point[])[] = [
  [
    [0.14, 0],
    [0.2, 0.1],
    [0.3, 0.34],
    [0.3, 0.52],
    [0.2, 0.7],
    [0.13, 0.76],
    [0.13, 0.82],
    [0.18, 0.86],
  ],
  [
    [0.18, 0],
    [0.27, 0.16],
    [0.29, 0.34],
    [0.23, 0.5],
    [0.2, 0.54],
    [0.24, 0.6],
  ],
  [
    [0.11, 0],
    [0.16, 0.18],
    [0.24, 0.5],
    [0.22, 0.72],
    [0.12, 0.86],
    [0.1, 0.98],
    [0.14, 1.03],
  ],
];

const urn = standing(0.9, [0.28, 0.8], (brush, { x, z, side, colour }) => {
  const random = brush.random.fork(`urn${x.toFixed(2)}`);
  const [tall, low] = [random.pick(URNS), URNS[1] ?? []];
  const clay = blend(colour, '#b9785b', 0.15);
  const small = low.map(([r, h]): Point => [r * 0.72, h * 0.7]);
  return [
    lathe(
      brush,
      [x, 0, z],
      tall.map(([r, h]): Point => [r * 0.84, h * 0.84]),
      clay,
      { hollow: true },
    ),
    shadowOf(brush, [x - side * 0.42, z - 0.25], 0.2, 0.4),
    lathe(brush, [x - side * 0.42, 0, z - 0.25], small, shade(blend(clay, brush.colours.wall, 0.4), 4), {
      hollow: true,
    }),
  ].join('');
});

const vase = standing(0.7, [0.18, 0.7], (brush, { x, z, colour }) => {
  const random = brush.random.fork(`vase${x.toFixed(2)}`);
  const twigs = Array.from({ length: 7 }, () => {
    const lean = random.wobble(0.4);
    const tall = random.between(0.7, 1.05);
    const line = [0, 0.4, 1].map((t) => on(brush, x + lean * t ** 1.6, 0.6 + tall * t, z));
    const buds = [0.45, 0.6, 0.75, 0.9, 1].map((t) => {
      const r = 0.022 * perMetre(brush.camera, z);
      return path(
        blot(
          random,
          on(brush, x + lean * t ** 1.6 + random.wobble(0.03), 0.6 + tall * t, z),
          r,
          r * 1.2,
          0.2,
          6,
        ),
        { fill: toned(brush, blend(brush.colours.accent, '#f3e6da', 0.35), 0.2, z) },
      );
    });
    return pen(brush, line, weightAt(z, 1.4), { colour: '#6d5844' }) + buds.join('');
  });
  return (
    twigs.join('') +
    lathe(
      brush,
      [x, 0, z],
      [
        [0.13, 0],
        [0.2, 0.16],
        [0.19, 0.34],
        [0.08, 0.52],
        [0.07, 0.6],
        [0.1, 0.63],
      ],
      colour,
      { hollow: true },
    )
  );
});

const basket = standing(0.7, [0.27, 0.5], (brush, { x, z }) => {
  const cane = blend('#bf955f', brush.colours.second, 0.15);
  const weave: [Point, Point][] = [];
  for (let y = 0.04; y < 0.42; y += 0.035) {
    for (let u = -0.24; u < 0.22; u += 0.06)
      weave.push([on(brush, x + u, y, z), on(brush, x + u + 0.04, y + 0.012, z)]);
  }
  return (
    lathe(
      brush,
      [x, 0, z],
      [
        [0.2, 0],
        [0.26, 0.12],
        [0.28, 0.3],
        [0.25, 0.44],
      ],
      cane,
      { hollow: true },
    ) + hairlines(brush, weave, 1.6, shade(cane, -18), 0.5)
  );
});

const cage = (brush: Brush, x: number, y: number, z: number, size: number): string => {
  const metal = '#4a4038';
  return [
    glow(brush, x, y + 0.15 * size, z, 0.5 * size, strengthOf(brush)),
    lathe(
      brush,
      [x, y, z],
      [
        [0.11 * size, 0],
        [0.12 * size, 0.02 * size],
        [0.12 * size, 0.28 * size],
        [0.11 * size, 0.3 * size],
      ],
      '#f4d79a',
      { smooth: false },
    ),
    lathe(
      brush,
      [x, y + 0.3 * size, z],
      [
        [0.15 * size, 0],
        [0.05 * size, 0.1 * size],
        [0.02 * size, 0.15 * size],
      ],
      metal,
      { smooth: false },
    ),
    lathe(
      brush,
      [x, y - 0.03 * size, z],
      [
        [0.14 * size, 0],
        [0.13 * size, 0.03 * size],
      ],
      metal,
      { smooth: false },
    ),
    hairlines(
      brush,
      [-0.11, -0.04, 0.04, 0.11].map((u): [Point, Point] => [
        on(brush, x + u * size, y, z),
        on(brush, x + u * size, y + 0.3 * size, z),
      ]),
      2,
      metal,
      0.9,
    ),
  ].join('');
};

const lantern = standing(0.6, [0.16, 0.4], (brush, { x, z, side }) =>
  [
    cage(brush, x, 0.04, z, 1.15),
    shadowOf(brush, [x - side * 0.3, z - 0.2], 0.1, 0.25),
    cage(brush, x - side * 0.3, 0.03, z - 0.2, 0.75),
  ].join(''),
);

const candle = standing(0.6, [0.25, 0.3], (brush, { x, z }) => {
  const one = (dx: number, dz: number, tall: number): string => {
    const flame = on(brush, x + dx, tall + 0.09, z + dz);
    const r = 0.028 * perMetre(brush.camera, z);
    return [
      lathe(
        brush,
        [x + dx, 0, z + dz],
        [
          [0.05, 0],
          [0.05, tall],
        ],
        '#f2e8d2',
        { smooth: false },
      ),
      glow(brush, x + dx, tall + 0.08, z + dz, 0.34, strengthOf(brush)),
      path(
        outline([
          [flame[0], flame[1] - r * 2],
          [flame[0] + r * 0.7, flame[1] + r * 0.4],
          [flame[0], flame[1] + r * 1.2],
          [flame[0] - r * 0.7, flame[1] + r * 0.4],
        ]),
        { fill: '#ffce6b' },
      ),
    ].join('');
  };
  return one(0.12, 0.12, 0.62) + one(-0.13, 0.05, 0.42) + one(0.02, -0.1, 0.24);
});

const lamp = standing(0.6, [0.18, 1], (brush, { x, z, colour }) => {
  return [
    lathe(
      brush,
      [x, 0, z],
      [
        [0.16, 0],
        [0.16, 0.025],
        [0.02, 0.05],
        [0.016, 1.32],
      ],
      '#5a4c3d',
      { smooth: false },
    ),
    glow(brush, x, 1.42, z, 0.75, strengthOf(brush) * 0.8),
    lathe(
      brush,
      [x, 1.28, z],
      [
        [0.25, 0],
        [0.15, 0.3],
      ],
      blend(colour, '#f7e7c4', 0.65),
      { smooth: false },
    ),
  ].join('');
});

const streetlamp = standing(0.6, [0.14, 1.4], (brush, { x, z }) => {
  return [
    lathe(
      brush,
      [x, 0, z],
      [
        [0.12, 0],
        [0.1, 0.2],
        [0.045, 0.32],
        [0.035, 1.68],
        [0.06, 1.72],
        [0.02, 1.76],
      ],
      '#3f4446',
      { smooth: false },
    ),
    cage(brush, x, 1.79, z, 1.1),
  ].join('');
});

const chandelier: Anchor = {
  belongs: 'overhead',
  width: 1,
  draw(brush, { x, z }) {
    const top = topOf(brush.camera, z) + 0.2;
    const y = Math.min(top - 0.62, 2.25);
    const brass = blend('#a98544', brush.colours.accent, 0.1);
    const arms = [-1, -0.6, 0.6, 1].map((u) => {
      const tip = on(brush, x + u * 0.42, y + 0.12, z);
      return (
        pen(brush, [on(brush, x, y + 0.05, z), on(brush, x + u * 0.25, y - 0.1, z), tip], weightAt(z, 3), {
          colour: brass,
          opacity: 1.2,
        }) +
        glow(brush, x + u * 0.42, y + 0.2, z, 0.3, strengthOf(brush)) +
        lathe(
          brush,
          [x + u * 0.42, y + 0.12, z],
          [
            [0.02, 0],
            [0.05, 0.03],
            [0.05, 0.08],
            [0.01, 0.13],
          ],
          '#fbe7b8',
          { weight: 1 },
        )
      );
    });
    return (
      pen(
        brush,
        [on(brush, x, top, z), on(brush, x + 0.005, (top + y) / 2, z), on(brush, x, y + 0.2, z)],
        weightAt(z, 1.8),
      ) +
      lathe(
        brush,
        [x, y - 0.14, z],
        [
          [0.01, 0],
          [0.07, 0.08],
          [0.04, 0.18],
          [0.08, 0.28],
          [0.01, 0.38],
        ],
        brass,
      ) +
      arms.join('')
    );
  },
};

const curtain: Anchor = {
  belongs: 'wall',
  width: 0.9,
  draw(brush, { x, z, width, height, side, colour }) {
    const top = Math.min(height - 0.06, 2.6);
    const half = Math.min(0.42, width * 0.36);
    const rail = [
      on(brush, x - half - 0.15, top + 0.03, z),
      on(brush, x, top + 0.035, z),
      on(brush, x + half + 0.15, top + 0.03, z),
    ];
    return (
      pen(brush, rail, weightAt(z, 4), { colour: shade(brush.colours.wood, -18), opacity: 1.2 }) +
      drape(brush, [x - half, x + half], [0.02, top], z - 0.05, colour, { flare: 1.08 }) +
      drape(
        brush,
        [x - side * half * 1.15 - 0.1, x - side * half * 1.15 + 0.1],
        [0.03, top],
        z - 0.08,
        blend(colour, '#f7f0e4', 0.65),
        { folds: 3, opacity: 0.8 },
      )
    );
  },
};

const rug: Anchor = {
  belongs: 'ground',
  width: 1.8,
  draw(brush, { colour }) {
    const { camera, colours } = brush;
    const [near, far] = [Math.max(camera.near * 1.08, 2.2), 4.4];
    const half = Math.min(1.05, (camera.width / 2 / camera.focal) * 3 * 0.94);
    const lit = litBy(brush, UP);
    const ring = (inset: number): Point[] =>
      lying([-half + inset, half - inset], 0, [near + inset * 1.25, far - inset * 1.25]).map((corner) =>
        on(brush, ...corner),
      );
    const quad = (points: Point[]): string =>
      `M${points.map((p) => p.map((v) => v.toFixed(1)).join(' ')).join('L')}Z`;
    const band = (inset: number, tone: string): string =>
      wash(brush, quad(ring(inset)), toned(brush, tone, lit, 3.2), { rim: 0.7 });
    const diamonds = [0.25, 0.5, 0.75].flatMap((t) =>
      [-0.5, 0, 0.5].map((u) => {
        const [cx, cz] = [u * half * 1.1, near + (far - near) * t];
        const [w, d] = [half * 0.16, (far - near) * 0.09];
        return path(
          quad([
            on(brush, cx - w, 0, cz),
            on(brush, cx, 0, cz - d),
            on(brush, cx + w, 0, cz),
            on(brush, cx, 0, cz + d),
          ]),
          {
            fill: toned(brush, t === 0.5 ? colours.wall : shade(colour, 16), lit, 3.2),
            'fill-opacity': 0.85,
          },
        );
      }),
    );
    const fringe = Array.from({ length: 44 }, (_, i): [Point, Point] => {
      const u = -half + (2 * half * i) / 43;
      return [on(brush, u, 0, near), on(brush, u + 0.005, 0, near * 0.97)];
    });
    return [
      hairlines(brush, fringe, 1.4, shade(blend(colour, '#f1e6d0', 0.7), -6), 0.9),
      band(0, colour),
      band(0.09, blend(colours.wall, '#f3e9d6', 0.45)),
      band(0.14, blend(colour, colours.second, 0.35)),
      ...diamonds,
      pen(brush, ring(0), 1.5, { closed: true, corners: true }),
    ].join('');
  },
};

export const SMALLER = { urn, vase, basket, lantern, candle, lamp, streetlamp, chandelier, curtain, rug };
