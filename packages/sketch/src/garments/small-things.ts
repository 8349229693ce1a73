import { shade } from '../drawing/colour.js';
import type { Point } from '../drawing/geometry.js';
import { points } from '../drawing/points.js';
import { path } from '../drawing/svg-sheet.js';
import { contour, mirror, symmetric, type Cloth } from './cloth.js';
import { boxed, type Drawing } from './drawing.js';
import type { GarmentSpec } from './garment-spec.js';
import { both, bothSeams, box, twice } from './trims/sewing.js';

const STONES = ['#9a1f3d', '#14704f', '#f3ead6', '#26479f'] as const;

const bead = (c: Cloth, x: number, y: number, r: number, colour: string): string =>
  `<circle cx="${x.toFixed(2)}" cy="${y.toFixed(2)}" r="${r}" fill="${colour}" stroke="${c.line}" stroke-width=".28"/><circle cx="${(x - r * 0.32).toFixed(2)}" cy="${(y - r * 0.36).toFixed(2)}" r="${(r * 0.3).toFixed(2)}" fill="#fff" fill-opacity=".8"/>`;

const stone = (c: Cloth): string =>
  c.fabric.accents[0] ?? STONES[Math.floor(c.random.fork('stone').next() * STONES.length)] ?? STONES[0];

/** A ring of metal seen at a slant. */
const hoop = (c: Cloth, y: number, rx: number, ry: number, width: number, colour: string): string => {
  const ellipse = (stroke: string, w: number, more = ''): string =>
    `<ellipse cx="0" cy="${y}" rx="${rx}" ry="${ry}" fill="none" stroke="${stroke}" stroke-width="${w}" ${more}/>`;
  return (
    ellipse(c.line, width + 0.7) +
    ellipse(colour, width) +
    ellipse(
      '#fff',
      width * 0.28,
      `stroke-opacity=".65" stroke-dasharray="${rx} ${rx * 1.4}" transform="translate(0 ${-width * 0.2})"`,
    )
  );
};

const slats = (c: Cloth, from: number, to: number, y: number): string =>
  Array.from({ length: Math.round((to - from) / 2.2) }, (_, i) =>
    path(`M${from + 1 + i * 2.2} ${y}l.3 7`, { stroke: c.fabric.colour, 'stroke-width': 0.9, fill: 'none' }),
  ).join('');

type Thing = (c: Cloth) => Drawing;

const THINGS: Readonly<Record<string, Thing>> = {
  belt: (c) => {
    const strap = contour(
      points('-52 -4, 40 -4, 50 -3'),
      points('50 -3, 54 0, 50 3.4'),
      points('50 3.4, 40 4, -52 4'),
      points('-52 4, -52 -4'),
    );
    const holes = [20, 26, 32, 38].map((x) => `<circle cx="${x}" cy="0" r=".8" fill="${c.dark}"/>`).join('');
    return boxed(
      c.piece(strap) +
        c.stitch(points('-48 -2.8, 48 -2.4')) +
        c.stitch(points('-48 2.8, 48 2.4')) +
        holes +
        `<rect x="-59" y="-6.6" width="12" height="13.2" rx="2" fill="none" stroke="${c.line}" stroke-width="2.6"/><rect x="-59" y="-6.6" width="12" height="13.2" rx="2" fill="none" stroke="${c.metal}" stroke-width="1.8"/><path d="M-58 0h12" stroke="${c.metal}" stroke-width="1.5"/>` +
        c.piece(box(-42, -4.8, 4, 9.6), { bare: true }),
      [-62, -9],
      [56, 9],
    );
  },
  necktie: (c) => {
    const blade = contour(
      [
        [-3, 7],
        [3, 7],
      ],
      [
        [3, 7],
        [5, 40],
        [7.4, 78],
      ],
      [
        [7.4, 78],
        [0, 88],
        [-7.4, 78],
      ],
      [
        [-7.4, 78],
        [-5, 40],
        [-3, 7],
      ],
    );
    const knot = contour(
      [
        [-5.4, -1],
        [5.4, -1],
      ],
      [
        [5.4, -1],
        [4.4, 4],
        [3.2, 8],
      ],
      [
        [3.2, 8],
        [-3.2, 8],
      ],
      [
        [-3.2, 8],
        [-4.4, 4],
        [-5.4, -1],
      ],
    );
    const loop = symmetric(points('0 -26, 9 -22, 12 -10, 5 0'), points('5 0, 0 2'));
    const inner = symmetric(points('0 -22, 6.4 -18, 8.6 -9, 3 -2'), points('3 -2, 0 -1'));
    return boxed(
      c.piece(loop, { turn: 30 }) +
        c.piece(inner, { colour: '#f4f1ea', bare: true, sheen: 0 }) +
        c.piece(blade, { turn: 38 }) +
        c.piece(knot, { turn: -30 }) +
        c.fold(points('0 9, -1 16, 0 22')),
      [-14, -28],
      [14, 90],
    );
  },
  bow_tie: (c) => {
    const wing = contour(
      points('2 -2, 12 -8, 24 -9.6'),
      points('24 -9.6, 26 0, 24 9.6'),
      points('24 9.6, 12 7, 2 2'),
    );
    return boxed(
      both(c, wing) +
        twice(points('3 0, 9 -2, 15 -2'), (line) => c.fold(line)) +
        c.piece(contour(points('-3 -4, 3 -4, 3.4 4, -3.4 4, -3 -4')), { round: 0.9 }),
      [-28, -12],
      [28, 12],
    );
  },
  necklace: (c) => {
    const gold = c.fabric.colour;
    const gem = stone(c);
    const arc = contour(points('-24 -30, -22 -8, -12 10, 0 16, 12 10, 22 -8, 24 -30'));
    const beads = arc
      .filter((_, i) => i % 2 === 0)
      .map(([x, y], i) => bead(c, x, y, Math.abs(x) < 14 ? 1.9 : 1.25, i % 3 === 1 ? gem : gold));
    const drop = [-9, -4.6, 0, 4.6, 9]
      .map((x) =>
        bead(c, x, 20 - Math.abs(x) * 0.62 + (x === 0 ? 2 : 0), x === 0 ? 3.4 : 2.1, x === 0 ? gem : gold),
      )
      .join('');
    return boxed(beads.join('') + drop, [-28, -33], [28, 28]);
  },
  earrings: (c) => {
    const one = (x: number): string => {
      const dome = contour(
        [
          [x - 6, 10],
          [x - 5, 4],
          [x, 1],
          [x + 5, 4],
          [x + 6, 10],
        ],
        [
          [x + 6, 10],
          [x, 11.6],
          [x - 6, 10],
        ],
      );
      return (
        path(`M${x} -14q3 -4 4 0`, { fill: 'none', stroke: c.metal, 'stroke-width': 0.8 }) +
        bead(c, x, -9, 3.2, stone(c)) +
        bead(c, x, -3, 1.4, c.fabric.colour) +
        c.piece(dome, { sheen: 0.8 }) +
        [-5, -2.5, 0, 2.5, 5].map((d) => bead(c, x + d, 13.6 - Math.abs(d) * 0.2, 1.1, '#f3ead6')).join('')
      );
    };
    return boxed(one(-11) + one(11), [-20, -19], [20, 18]);
  },
  bangles: (c) =>
    boxed(
      [9, 4.5, 0, -4.5, -9].map((y, i) => hoop(c, y, 24, 11, 3, i % 2 ? stone(c) : c.fabric.colour)).join(''),
      [-28, -24],
      [28, 24],
    ),
  bracelet: (c) =>
    boxed(
      hoop(c, 0, 24, 13, 3.4, c.fabric.colour) +
        [0.15, 0.32, 0.5, 0.68, 0.85]
          .map((t) => bead(c, Math.cos(Math.PI * t) * 24, Math.sin(Math.PI * t) * 13, 2.3, stone(c)))
          .join(''),
      [-29, -17],
      [29, 18],
    ),
  watch: (c) => {
    const strap = symmetric(points('0 -44, 5 -44, 6 -30, 8 -12'), points('8 -12, 8 12, 6 34, 5 48, 0 48'));
    const leather = '#4a3226';
    return boxed(
      c.piece(strap, { colour: leather, bare: true, sheen: 0.2 }) +
        c.stitch(points('4 -42, 6 -14'), '#c7a882') +
        c.stitch(points('-4 -42, -6 -14'), '#c7a882') +
        `<circle r="13.4" fill="${c.fabric.colour}" stroke="${c.line}" stroke-width=".7"/><circle r="10.8" fill="#f7f3ea" stroke="${c.line}" stroke-width=".4"/>` +
        Array.from({ length: 12 }, (_, i) =>
          path('M0 -9.6v1.8', { stroke: '#3b3530', 'stroke-width': 0.6, transform: `rotate(${i * 30})` }),
        ).join('') +
        path('M0 0L-4.4 -4M0 0L5 -6.4', {
          stroke: '#3b3530',
          'stroke-width': 0.8,
          'stroke-linecap': 'round',
        }) +
        `<rect x="13" y="-1.6" width="2.4" height="3.2" fill="${c.metal}"/>`,
      [-18, -46],
      [18, 50],
    );
  },
  sunglasses: (c) => {
    const lens = contour(points('5 -7, 16 -10, 27 -7'), points('27 -7, 28 2, 22 10, 13 10.6, 7 6, 5 -7'));
    const glass = c.fabric.accents[0] ?? '#3a3836';
    const inner = lens.map(([x, y]): Point => [16.4 + (x - 16.4) * 0.84, 0.4 + (y - 0.4) * 0.82]);
    const temples = [1, -1]
      .map((s) =>
        path(`M${s * 26} -6C${s * 34} -10 ${s * 38} -12 ${s * 40} -8`, {
          fill: 'none',
          stroke: c.fabric.colour,
          'stroke-width': 2.2,
          'stroke-linecap': 'round',
        }),
      )
      .join('');
    return boxed(
      temples +
        both(c, lens) +
        both(c, inner, { colour: glass, bare: true, sheen: 0.7, opacity: 0.94 }) +
        path('M-5.4 -5Q0 -8 5.4 -5', { fill: 'none', stroke: c.fabric.colour, 'stroke-width': 2.2 }),
      [-43, -14],
      [43, 14],
    );
  },
  gloves: (c) => {
    const glove = contour(
      points('4 44, 5 20, 3 4, 3.6 -16'),
      points('3.6 -16, 6 -19, 8 -16, 9.6 -1'),
      points('9.6 -1, 10 -24, 12.4 -27, 14.4 -24, 14.8 -1'),
      points('14.8 -1, 16 -23, 18.4 -25, 20 -22, 19.6 0'),
      points('19.6 0, 21.6 -14, 23.6 -15.4, 25 -13, 24 6'),
      points('24 6, 30 -2, 33 -2, 33.4 2, 25 22, 24 44'),
    );
    return boxed(
      [glove, mirror(glove)]
        .map(
          (g) =>
            c.piece(g) + c.fold(g === glove ? points('10 2, 11 10, 10 16') : points('-10 2, -11 10, -10 16')),
        )
        .join('') + bothSeams(c, points('4.4 36, 14 37.6, 24.4 36'), 0.5),
      [-36, -29],
      [36, 46],
    );
  },
  socks: (c) => {
    const sock = contour(
      points('6 -30, 22 -30'),
      points('22 -30, 21 -4, 24 10, 20 22'),
      points('20 22, 8 30, -8 32, -14 27, -12 20, 2 14, 7 2, 6 -30'),
    );
    const cuff = points('5.4 -30.6, 22.6 -30.6, 22.2 -23, 5.8 -23');
    const toe = contour(points('-8 32, -14 27, -12 20, -4 17.4'), points('-4 17.4, -1 24, -3 31.6'));
    const shifted = (s: readonly Point[]): Point[] => s.map(([x, y]): Point => [x + 20, y - 4]);
    const one = (f: (s: readonly Point[]) => Point[]): string =>
      c.piece(f(sock)) +
      c.piece(f(cuff), { round: 0.6 }) +
      c.piece(f(toe), { colour: c.fabric.accents[0] ?? shade(c.fabric.colour, -12), bare: true });
    return boxed(one(shifted) + one((s) => [...s]), [-17, -37], [46, 35]);
  },
  silk_scarf: (c) => {
    const square = contour(
      points('-40 -34, 0 -36, 40 -33'),
      points('40 -33, 38 0, 41 34'),
      points('41 34, 0 36, -40 34'),
      points('-40 34, -38 0, -40 -34'),
    );
    const frame = square.map(([x, y]): Point => [x * 0.86, y * 0.85]);
    return boxed(
      c.piece(square, {
        colour: c.fabric.accents[0] ?? shade(c.fabric.colour, -22),
        bare: true,
        sheen: 0.5,
      }) +
        c.piece(frame) +
        c.fold(points('-30 30, -6 8, 22 -26'), 5, 0.7) +
        c.fold(points('6 32, 20 12, 36 -8'), 4, 0.7),
      [-43, -38],
      [43, 38],
    );
  },
  scarf: (c) => boxed(longCloth(c, 17, 96), [-24, -52], [34, 58]),
  dupatta: (c) => boxed(longCloth(c, 24, 104, c.fabric.accents[0] ?? '#c9a04f'), [-32, -56], [42, 62]),
  shawl: (c) => boxed(longCloth(c, 27, 92), [-34, -50], [46, 56]),
};

/** A long cloth, folded over once. Its ends have a border and fringes. */
function longCloth(c: Cloth, half: number, height: number, border?: string): string {
  const top = -height / 2;
  const low = height / 2;
  const back = contour(
    [
      [-half + 9, top + 3],
      [half + 10, top],
    ],
    [
      [half + 10, top],
      [half + 11, 0],
      [half + 12, low - 10],
    ],
    [
      [half + 12, low - 10],
      [-half + 14, low - 8],
    ],
    [
      [-half + 14, low - 8],
      [-half + 9, top + 3],
    ],
  );
  const front = contour(
    [
      [-half, top + 2],
      [half * 0.2, top - 1],
      [half, top + 1],
    ],
    [
      [half, top + 1],
      [half + 1, 0],
      [half, low],
    ],
    [
      [half, low],
      [0, low + 1],
      [-half, low],
    ],
    [
      [-half, low],
      [-half - 1, 0],
      [-half, top + 2],
    ],
  );
  const hem = border
    ? c.piece(
        [
          [-half, low - 9],
          [half, low - 9],
          [half, low],
          [0, low + 1],
          [-half, low],
        ],
        { colour: border, bare: true, sheen: 0.4, round: 0.4 },
      ) +
      Array.from({ length: 9 }, (_, i) =>
        path(`M${(i - 4) * half * 0.22} ${low - 7.4}l1.6 2.8l-1.6 2.8l-1.6 -2.8Z`, {
          fill: shade(border, -26),
        }),
      ).join('')
    : '';
  return (
    c.piece(back) +
    slats(c, -half + 14, half + 12, low - 9) +
    slats(c, -half, half, low) +
    c.piece(front) +
    [-0.5, 0.1, 0.6]
      .map((u) =>
        c.fold(
          [
            [half * u, low - 2],
            [half * u * 1.04, 0],
            [half * u * 0.96, top + 8],
          ],
          3.4,
          0.7,
        ),
      )
      .join('') +
    hem
  );
}

/** Accessories. Undefined if the category is not an accessory. */
export function drawSmallThing(cloth: Cloth, spec: GarmentSpec): Drawing | undefined {
  const { silhouette } = spec.category;
  return Object.hasOwn(THINGS, silhouette) ? THINGS[silhouette]?.(cloth) : undefined;
}
