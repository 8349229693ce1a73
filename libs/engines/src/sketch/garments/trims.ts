import { lightness, shade } from '../drawing/colour.js';
import type { Point } from '../drawing/geometry.js';
import { polygon } from '../drawing/curve.js';
import { group, path } from '../drawing/svg-sheet.js';
import { contour, mirror, type Cloth } from './cloth.js';
import { across, band, cuffBand, type Frame, type Trim } from './frame.js';

const both = (cloth: Cloth, shape: readonly Point[], options: Parameters<Cloth['piece']>[1] = {}): string =>
  cloth.piece(shape, options) + cloth.piece(mirror(shape), options);

const bothSeams = (cloth: Cloth, line: readonly Point[], width = 0.34): string =>
  cloth.seam(line, width) + cloth.seam(mirror(line), width);

const box = (x: number, y: number, w: number, h: number, point = 0): Point[] =>
  point > 0
    ? [
        [x, y],
        [x + w, y],
        [x + w, y + h - point],
        [x + w / 2, y + h],
        [x, y + h - point],
      ]
    : [
        [x, y],
        [x + w, y],
        [x + w, y + h],
        [x, y + h],
      ];

const tonal = (cloth: Cloth, steps = 6): string =>
  shade(cloth.fabric.colour, lightness(cloth.fabric.colour) < 40 ? steps : -steps);

/** Woven borders are gold unless the caller named a second colour. */
export const borderColour = (cloth: Cloth): string =>
  cloth.fabric.accents[0] ?? (lightness(cloth.fabric.colour) > 70 ? '#b08a3c' : '#cfa95a');

const ribs = (cloth: Cloth, frame: Frame, from: number, to: number): string => {
  const h = frame.half(to);
  const count = Math.round(h / 1.25);
  return Array.from({ length: count * 2 - 1 }, (_, i) => {
    const u = (i - count + 1) / count;
    return cloth.seam(
      [
        [u * frame.half(from), from + 1.2 * (1 - u * u)],
        [u * h, to + 1.2 * (1 - u * u)],
      ],
      0.24,
      0.45,
    );
  }).join('');
};

const sleeves = (
  cloth: Cloth,
  frame: Frame,
  height: number,
  options: Parameters<Cloth['piece']>[1] & { widen?: number } = {},
): string =>
  frame.sleeve
    ? both(cloth, cuffBand(frame.sleeve, height, options.widen ?? 0), {
        turn: -frame.sleeve.slant,
        round: 0.6,
        ...options,
      })
    : '';

/** A band with a running motif, as zari or block-printed borders have. */
function ornate(cloth: Cloth, shape: readonly Point[], line: readonly Point[], size: number): string {
  const gold = borderColour(cloth);
  const steps = contour(line);
  let walked = 0;
  const motifs = steps.flatMap((p, i) => {
    const before = steps[i - 1] ?? p;
    walked += Math.hypot(p[0] - before[0], p[1] - before[1]);
    if (walked < size * 1.5) return [];
    walked = 0;
    const [x, y] = p;
    return [
      path(
        `M${x.toFixed(2)} ${(y - size * 0.62).toFixed(2)}l${size * 0.4} ${size * 0.62}l${-size * 0.4} ${size * 0.62}l${-size * 0.4} ${-size * 0.62}Z`,
        { fill: shade(gold, -26), 'fill-opacity': 0.75 },
      ),
    ];
  });
  return (
    cloth.piece(shape, { colour: gold, bare: true, sheen: 0.35, round: 0.5, opacity: 1 }) + motifs.join('')
  );
}

const hemBorder: Trim = (cloth, frame) => {
  const height = frame.hem > 90 ? 5.5 : 2.6;
  return ornate(
    cloth,
    band(frame, frame.hem - height, frame.hem + 0.2, 1.5),
    across(frame, frame.hem - height / 2, 1.5),
    height * 0.55,
  );
};

function neckBorder(cloth: Cloth, { neckline, neck: [n] }: Frame, width = 2.6): string {
  const outer = neckline.map(([x, y]): Point => [x + (x / n) * width * 0.5, y + width * (1 - 0.5 * (x / n))]);
  const shape = contour([...neckline], [...outer].reverse());
  const middle = neckline.map(([x, y], i): Point => [
    (x + (outer[i]?.[0] ?? x)) / 2,
    (y + (outer[i]?.[1] ?? y)) / 2,
  ]);
  return (
    ornate(cloth, shape, middle, width * 0.5) + ornate(cloth, mirror(shape), mirror(middle), width * 0.5)
  );
}

const frontStrip = (cloth: Cloth, frame: Frame, width: number): string => {
  const [, depth] = frame.neck;
  return ornate(
    cloth,
    box(-width / 2, depth, width, frame.hem + 1 - depth),
    [
      [0, depth],
      [0, (depth + frame.hem) / 2],
      [0, frame.hem],
    ],
    width * 0.5,
  );
};

const pocket = (cloth: Cloth, x: number, y: number, w: number, h: number, flap: number, point = 0): string =>
  cloth.piece(box(x, y, w, h, point), { round: 0.5 }) +
  cloth.stitch(box(x + 0.5, y + 0.5, w - 1, h - 1, point), cloth.light) +
  (flap > 0 ? cloth.piece(box(x - 0.3, y - 0.6, w + 0.6, flap, flap * 0.35), { round: 0.6 }) : '');

const hipPocketY = ({ waist, hem }: Frame): number => Math.min(waist + 14, hem - 17);

const belt = (
  cloth: Cloth,
  frame: Frame,
  height: number,
  colour: string | undefined,
  buckle: 'none' | 'bow' | 'buckle',
): string => {
  const y = frame.waist;
  const strip = cloth.piece(
    band({ ...frame, half: (at) => frame.half(at) + 0.5 }, y - height / 2, y + height / 2),
    { round: 0.7, ...(colour ? { colour, bare: true } : {}) },
  );
  if (buckle === 'none') return strip;
  if (buckle === 'buckle')
    return (
      strip +
      `<rect x="-2.6" y="${y - height / 2 + 0.4}" width="5.2" height="${height + 0.8}" rx=".7" fill="none" stroke="${cloth.metal}" stroke-width=".9"/>` +
      cloth.piece(
        contour(
          [
            [3, y + 1],
            [8, y + 3],
            [10, y + 9],
          ],
          [
            [10, y + 9],
            [7.4, y + 9.6],
            [5.4, y + 4.6],
            [2, y + 3.6],
          ],
        ),
        { ...(colour ? { colour, bare: true } : {}), round: 0.6 },
      )
    );
  const tail = (s: 1 | -1, drop: number): Point[] =>
    contour(
      [
        [0, y],
        [3 * s, y + 6],
        [4.4 * s, y + drop],
      ],
      [
        [4.4 * s, y + drop],
        [1.4 * s, y + drop + 1],
      ],
      [
        [1.4 * s, y + drop + 1],
        [0.6 * s, y + 8],
        [-0.8 * s, y + 1],
      ],
    );
  const loop = (s: 1 | -1): Point[] =>
    contour([
      [0, y],
      [4 * s, y - 3.4],
      [7.4 * s, y - 1.4],
      [6 * s, y + 2.6],
      [0, y + 0.8],
    ]);
  return (
    strip +
    [tail(1, 17), tail(-1, 14), loop(1), loop(-1)]
      .map((s) => cloth.piece(s, { ...(colour ? { colour, bare: true } : {}), round: 0.7 }))
      .join('') +
    cloth.piece(
      contour([
        [-1.3, y - 1.4],
        [1.3, y - 1.4],
        [1.5, y + 1.6],
        [-1.5, y + 1.6],
        [-1.3, y - 1.4],
      ]),
      { round: 0.6 },
    )
  );
};

function quilting(cloth: Cloth, frame: Frame): string {
  const rows: string[] = [];
  for (let y = 13; y < frame.hem - 3; y += 8.4) {
    const edge: Frame = { ...frame, half: (at) => (at < 26 ? frame.half(26) - 4.4 : frame.half(at)) };
    rows.push(
      cloth.fold(
        across(edge, y, 0.8).map(([x, yy]): Point => [x, yy]),
        3.2,
        0.9,
      ),
    );
    const glow = across(edge, y - 4.4, 0.8);
    rows.push(
      path(`M${glow.map(([x, yy]) => `${x.toFixed(1)} ${yy.toFixed(1)}`).join('L')}`, {
        fill: 'none',
        stroke: '#fff',
        'stroke-opacity': 0.2,
        'stroke-width': 2,
        filter: cloth.sheet.blur(0.9),
      }),
    );
  }
  const { sleeve } = frame;
  if (sleeve) {
    for (let k = 1; k < 7; k++) {
      const [o, i] = [sleeve.outer, sleeve.inner].map((p): Point => [
        p[0] - sleeve.down[0] * k * 7,
        p[1] - sleeve.down[1] * k * 7,
      ]) as [Point, Point];
      const grow = 1 + k * 0.07;
      const line: Point[] = [
        [i[0] + (o[0] - i[0]) * grow * 0.96, i[1] + (o[1] - i[1]) * grow * 0.96],
        [(o[0] + i[0]) / 2 + sleeve.down[0], (o[1] + i[1]) / 2 + sleeve.down[1]],
        [i[0] - (o[0] - i[0]) * (grow - 1) * 0.5, i[1] - (o[1] - i[1]) * (grow - 1) * 0.5],
      ];
      rows.push(cloth.fold(line, 2.6, 0.8), cloth.fold(mirror(line), 2.6, 0.8));
    }
  }
  const pieces = (frame.pieces ?? []).map((shape) => polygon(shape));
  return group({ 'clip-path': pieces.length > 0 ? cloth.sheet.clip(...pieces) : undefined }, ...rows);
}

const ruffleAt = (cloth: Cloth, frame: Frame, y: number, depth: number): string => {
  const top = frame.half(y);
  const low = frame.half(y + depth) + 2.4;
  const count = Math.max(4, Math.round(low / 4));
  const wave: Point[] = Array.from({ length: count * 4 + 1 }, (_, i): Point => {
    const u = 1 - i / (count * 2);
    return [u * low, y + depth + 1.4 * (1 - u * u) + (i % 2 ? 1.5 : -0.2)];
  });
  const shape = contour(
    [
      [-top, y],
      [0, y + 1],
      [top, y],
    ],
    wave,
  );
  return (
    cloth.piece(shape, { round: 0.7 }) +
    wave
      .filter((_, i) => i % 2 === 0)
      .slice(1, -1)
      .map(([x, yy]) =>
        cloth.fold(
          [
            [x, yy - 0.4],
            [x * 0.985, yy - depth * 0.4],
            [x * 0.95, y + 1.8],
          ],
          1.4,
          0.8,
        ),
      )
      .join('')
  );
};

const pleats = (cloth: Cloth, frame: Frame, from: number): string => {
  const count = 7;
  return Array.from({ length: count * 2 + 1 }, (_, i) => {
    const u = (i - count) / (count + 0.6);
    const line: Point[] = [0, 0.5, 1].map((t): Point => {
      const y = from + (frame.hem - from) * t;
      return [u * frame.half(y), y + 1.4 * (1 - u * u)];
    });
    return cloth.fold([...line].reverse(), 1.7, 0.95);
  }).join('');
};

/** A spray of flowers in thread: the heart of hand embroidery on a yoke. */
export function embroidery(cloth: Cloth, x: number, y: number, size: number): string {
  const gold = borderColour(cloth);
  const second = cloth.fabric.accents[1] ?? (lightness(cloth.fabric.colour) > 55 ? '#a8443f' : '#f0e2c6');
  const petal = (turn: number, r: number, fill: string): string =>
    path(
      `M0 0C${-r * 0.5} ${-r * 0.3} ${-r * 0.5} ${-r * 0.8} 0 ${-r}C${r * 0.5} ${-r * 0.8} ${r * 0.5} ${-r * 0.3} 0 0Z`,
      { fill, transform: `rotate(${turn})` },
    );
  const flower = (fx: number, fy: number, r: number): string =>
    `<g transform="translate(${(x + fx * size).toFixed(2)} ${(y + fy * size).toFixed(2)})">${[0, 60, 120, 180, 240, 300].map((t) => petal(t, r * size, gold)).join('')}<circle r="${(r * size * 0.3).toFixed(2)}" fill="${second}"/></g>`;
  const vine = (s: number): string =>
    path(
      `M${x} ${y}c${s * size * 0.5} ${size * 0.1} ${s * size * 0.9} ${-size * 0.2} ${s * size * 1.3} ${size * 0.25}`,
      { fill: 'none', stroke: gold, 'stroke-width': (size * 0.06).toFixed(2) },
    );
  return (
    vine(1) +
    vine(-1) +
    flower(0, 0, 0.42) +
    flower(0.85, 0.02, 0.3) +
    flower(-0.85, 0.02, 0.3) +
    flower(1.35, 0.3, 0.2) +
    flower(-1.35, 0.3, 0.2) +
    flower(0, 0.62, 0.24)
  );
}

/** Everything that can be sewn onto a garment that hangs from the shoulders or the waist, by name. */
export const TRIMS: Readonly<Record<string, Trim>> = {
  cuffs: (c, f) =>
    sleeves(c, f, 4.6, { widen: 0.3 }) +
    (f.sleeve
      ? [1, -1]
          .map((s) => {
            const { outer, inner, down } = f.sleeve ?? { outer: [0, 0], inner: [0, 0], down: [0, 1] };
            return c.button(
              s * (outer[0] * 0.66 + inner[0] * 0.34 - down[0] * 2.3),
              outer[1] * 0.66 + inner[1] * 0.34 - down[1] * 2.3,
              0.6,
            );
          })
          .join('')
      : ''),
  rib_cuffs: (c, f) =>
    sleeves(c, f, f.sleeve && f.sleeve.outer[1] > 40 ? 5 : 2, {
      colour: tonal(c, 4),
      bare: true,
      widen: -0.2,
    }),
  zip_cuffs: (c, f) => sleeves(c, f, 0.9, { colour: c.metal, bare: true }),
  cuff_straps: (c, f) => sleeves(c, f, 1.8, { widen: 0.4 }),
  cuff_border: (c, f) => sleeves(c, f, 4.4, { colour: borderColour(c), bare: true, sheen: 0.3 }),
  sleeve_border: (c, f) => sleeves(c, f, 2.8, { colour: borderColour(c), bare: true, sheen: 0.3 }),
  rib_hem: (c, f) =>
    c.piece(band(f, f.hem - 5.4, f.hem + 0.4, 1.5), {
      colour: tonal(c, 4),
      bare: true,
      round: 0.5,
      sheen: 0,
    }) + ribs(c, f, f.hem - 5.2, f.hem),
  hem_band: (c, f) =>
    c.piece(band(f, f.hem - 4.4, f.hem + 0.6, 1.5), { round: 0.5 }) + c.stitch(across(f, f.hem - 4.9, 1.5)),
  hem_border: hemBorder,
  neck_border: (c, f) => neckBorder(c, f),
  front_border: (c, f) => frontStrip(c, f, 3.4),
  collar_border: () => '',
  binding: (c, f) =>
    bothSeams(
      c,
      f.neckline.map(([x, y]): Point => [x + 0.7, y + 0.9]),
      0.34,
    ),
  piping: (c, f) => {
    const line = f.neckline.map(([x, y]): Point => [x, y + 0.3]);
    const d = (p: readonly Point[]): string => `M${p.map(([x, y]) => `${x} ${y}`).join('L')}`;
    return (
      [line, mirror(line)]
        .map((p) => path(d(p), { fill: 'none', stroke: borderColour(c), 'stroke-width': 0.7 }))
        .join('') + sleeves(c, f, 0.9, { colour: borderColour(c), bare: true })
    );
  },
  chest_pocket: (c, f) => pocket(c, f.half(30) * 0.26, 23, 9.4, 10.6, 0, 1.4),
  chest_pockets: (c, f) =>
    pocket(c, f.half(30) * 0.26, 24, 9.4, 10.6, 3.2) +
    pocket(c, -f.half(30) * 0.26 - 9.4, 24, 9.4, 10.6, 3.2),
  flap_chest: (c, f) =>
    pocket(c, 5, 22, 10, 11.4, 3.6, 1.8) +
    pocket(c, -15, 22, 10, 11.4, 3.6, 1.8) +
    c.button(10, 24.6, 0.55, c.metal) +
    c.button(-10, 24.6, 0.55, c.metal) +
    bothSeams(c, [
      [6.2, 33],
      [5, f.hem - 5],
    ]) +
    bothSeams(c, [
      [13.6, 33],
      [14, f.hem - 5],
    ]),
  welt_pocket: (c, f) =>
    c.piece(
      [
        [f.half(28) * 0.4, 27.6],
        [f.half(28) * 0.4 + 8.6, 26.8],
        [f.half(28) * 0.4 + 8.6, 29],
        [f.half(28) * 0.4, 29.8],
      ],
      { round: 0.4 },
    ),
  welt_pockets: (c, f) =>
    both(
      c,
      [
        [7, f.waist + 2],
        [14.6, f.waist + 1],
        [14.6, f.waist + 3],
        [7, f.waist + 4],
      ],
      { round: 0.4 },
    ),
  flap_pockets: (c, f) => {
    const y = hipPocketY(f);
    return both(
      c,
      [
        [8, y],
        [8 + 13, y - 0.8],
        [8 + 13.2, y + 4.6],
        [8, y + 5.4],
      ],
      { round: 0.7 },
    );
  },
  jet_pockets: (c, f) => {
    const y = hipPocketY(f);
    return (
      bothSeams(
        c,
        [
          [8.6, y],
          [20.6, y - 0.8],
        ],
        0.6,
      ) +
      bothSeams(
        c,
        [
          [8.6, y + 1],
          [20.6, y + 0.2],
        ],
        0.3,
      )
    );
  },
  slant_pockets: (c, f) => {
    const y = Math.min(f.waist + 5, f.hem - 22);
    return both(
      c,
      [
        [13.4, y],
        [15.6, y + 0.6],
        [19.8, y + 13.6],
        [17.4, y + 13.6],
      ],
      { round: 0.5 },
    );
  },
  zip_pockets: (c, f) =>
    [1, -1]
      .map((s) =>
        path(`M${s * 10} ${f.waist - 2}L${s * 15} ${f.waist + 8}`, {
          stroke: c.metal,
          'stroke-width': 0.9,
          'stroke-dasharray': '.4 .25',
        }),
      )
      .join(''),
  patch_pockets: (c, f) => {
    const y = hipPocketY(f);
    const w = Math.min(14, f.half(y) * 0.55);
    const x = f.half(y) * 0.32;
    return pocket(c, x, y - 1, w, 14.6, 0, 0) + pocket(c, -x - w, y - 1, w, 14.6, 0, 0);
  },
  kangaroo: (c, f) =>
    c.piece(
      contour(
        [
          [-9, f.hem - 22],
          [9, f.hem - 22],
        ],
        [
          [9, f.hem - 22],
          [12, f.hem - 15],
          [15.4, f.hem - 11],
        ],
        [
          [15.4, f.hem - 11],
          [15.6, f.hem - 5.4],
          [-15.6, f.hem - 5.4],
          [-15.4, f.hem - 11],
        ],
        [
          [-15.4, f.hem - 11],
          [-12, f.hem - 15],
          [-9, f.hem - 22],
        ],
      ),
      { round: 0.6 },
    ),
  drawcord: (c, f) =>
    [3.4, -3.4]
      .map((x, i) =>
        path(`M${x} ${f.neck[1] - 1}q${x * 0.3} 6 ${x * 0.1} ${12 + i * 1.6}`, {
          fill: 'none',
          stroke: c.light,
          'stroke-width': 0.85,
          'stroke-linecap': 'round',
        }),
      )
      .join(''),
  vee_insert: (c, f) =>
    c.seam([
      [-2.6, f.neck[1] + 2],
      [0, f.neck[1] + 7],
      [2.6, f.neck[1] + 2],
    ]),
  front_band: (c, f) => {
    const line: Point[] = [
      [0, f.neck[1] + 1],
      [0, f.hem],
    ];
    return (
      bothSeams(
        c,
        line.map(([, y]): Point => [1.8, y]),
      ) +
      bothSeams(
        c,
        f.neckline.map(([x, y]): Point => [x + 1.6, y + 1.8]),
      )
    );
  },
  neck_tie: (c, f) => {
    const y = f.neck[1];
    const tail = (s: number, d: number): Point[] =>
      contour(
        [
          [0, y - 1],
          [s * 3.4, y + 7],
          [s * 4.6, y + d],
        ],
        [
          [s * 4.6, y + d],
          [s * 1.5, y + d + 1.6],
        ],
        [
          [s * 1.5, y + d + 1.6],
          [s * 0.6, y + 8],
          [-s * 0.6, y],
        ],
      );
    return (
      [tail(1, 22), tail(-1, 18)].map((t) => c.piece(t, { round: 0.7 })).join('') +
      [1, -1]
        .map((s) =>
          c.piece(
            contour([
              [0, y - 0.6],
              [s * 4, y - 4],
              [s * 7.6, y - 1.6],
              [s * 6, y + 3],
              [0, y + 0.8],
            ]),
            { round: 0.7 },
          ),
        )
        .join('') +
      c.piece(
        contour([
          [-1.3, y - 1.8],
          [1.3, y - 1.8],
          [1.4, y + 1.4],
          [-1.4, y + 1.4],
          [-1.3, y - 1.8],
        ]),
        { round: 0.6 },
      )
    );
  },
  gathers: (c, f) =>
    f.neckline
      .slice(1, -1)
      .map(([x, y]) =>
        bothSeams(
          c,
          [
            [x + 0.6, y + 0.6],
            [x + 2.4, y + 6],
          ],
          0.24,
        ),
      )
      .join('') + (f.sleeve ? sleeves(c, f, 3, { widen: -0.6 }) : ''),
  lace_edge: (c, f) => {
    const y = f.neck[1];
    const line = contour([
      [-11.8, y - 7.4],
      [-6, y - 2.4],
      [0, y + 0.4],
      [6, y - 2.4],
      [11.8, y - 7.4],
    ]);
    return line
      .filter((_, i) => i % 2 === 0)
      .map(
        ([x, yy]) =>
          `<circle cx="${x.toFixed(2)}" cy="${(yy + 1).toFixed(2)}" r="1.1" fill="${c.light}" stroke="${c.line}" stroke-width=".16" stroke-opacity=".7"/><circle cx="${x.toFixed(2)}" cy="${(yy + 1).toFixed(2)}" r=".34" fill="${c.dark}" fill-opacity=".5"/>`,
      )
      .join('');
  },
  smocking: (c, f) =>
    [26, 29, 32, 35, 38].map((y) => c.seam(across(f, y, 0.6), 0.26, 0.55)).join('') +
    Array.from({ length: 17 }, (_, i) =>
      c.seam(
        [
          [(i - 8) * 2.1, 23.6],
          [(i - 8) * 2.05, 41],
        ],
        0.2,
        0.28,
      ),
    ).join(''),
  side_slits: (c, f) =>
    bothSeams(
      c,
      [
        [f.half(f.waist + 12) - 0.8, f.waist + 12],
        [f.half(f.hem) - 1.5, f.hem],
      ],
      0.5,
    ),
  waist_seam: (c, f) => c.seam(across(f, f.waist, 1), 0.44),
  gathered_skirt: (c, f) =>
    Array.from({ length: 15 }, (_, i) => {
      const u = (i - 7) / 7.6;
      return c.fold(
        [
          [u * f.half(f.waist), f.waist + 1.2],
          [u * f.half(f.waist + 9) * 1.02, f.waist + 6 + (i % 3) * 4],
        ],
        1.2,
        0.7,
      );
    }).join(''),
  bodice_drape: (c, f) =>
    [0, 1, 2, 3]
      .map((k) =>
        c.fold(
          [
            [-f.half(25 + k * 4) + 0.8, 22 + k * 3.4],
            [0, 28 + k * 4],
            [f.half(f.waist) - 0.5, f.waist - 6 + k * 2.4],
          ],
          1.6,
          0.8,
        ),
      )
      .join(''),
  train_folds: (c, f) =>
    [-0.7, -0.3, 0.15, 0.55, 0.85]
      .map((u, i) =>
        c.fold(
          [
            [u * f.half(f.hem), f.hem - 0.6],
            [u * f.half(f.hem - 30) * 0.9, f.hem - 30],
            [u * f.half(f.waist + 14) * 0.4, f.waist + 20 + i * 5],
          ],
          3.6,
          0.9,
        ),
      )
      .join(''),
  waist_border: (c, f) => ornate(c, band(f, f.waist - 2.2, f.waist + 2.2, 1.2), across(f, f.waist, 1.2), 2.4),
  panels: (c, f) =>
    [-0.8, -0.52, -0.25, 0, 0.25, 0.52, 0.8]
      .map((u) =>
        c.fold(
          [
            [u * f.half(f.hem), f.hem - 5],
            [u * f.half(f.waist + 40), f.waist + 40],
            [u * f.half(f.waist), f.waist + 3],
          ],
          2.4,
          0.9,
        ),
      )
      .join(''),
  drawn_waist: (c, f) =>
    c.seam(across(f, f.waist + 1, 1), 0.5) +
    [-0.7, -0.4, -0.12, 0.2, 0.5, 0.78]
      .map((u) =>
        c.fold(
          [
            [u * f.half(f.waist) * 0.7, f.waist + 1.6],
            [u * f.half(f.waist) * 0.74, f.waist + 9],
          ],
          1.4,
          0.7,
        ),
      )
      .join(''),
  fabric_belt: (c, f) => belt(c, f, 3.2, undefined, 'bow'),
  trench_belt: (c, f) => belt(c, f, 4.4, undefined, 'buckle'),
  contrast_belt: (c, f) => belt(c, f, 3.2, c.fabric.accents[0] ?? '#5a3a28', 'buckle'),
  belt_tab: (c, f) =>
    c.piece(band(f, f.hem - 4.6, f.hem + 0.4, 1.5), { round: 0.5 }) +
    `<rect x="7" y="${f.hem - 3.6}" width="4.2" height="3.6" rx=".6" fill="none" stroke="${c.metal}" stroke-width=".7"/>`,
  obi: (c, f) =>
    c.piece(band({ ...f, half: (y) => f.half(y) + 0.5 }, f.waist - 8, f.waist + 9), {
      colour: c.fabric.accents[0] ?? shade(c.fabric.colour, lightness(c.fabric.colour) > 50 ? -36 : 34),
      bare: true,
      sheen: 0.4,
    }) +
    c.piece(band({ ...f, half: (y) => f.half(y) + 0.7 }, f.waist - 1, f.waist + 2), {
      colour: borderColour(c),
      bare: true,
      sheen: 0.3,
      round: 0.4,
    }),
  frog_closure: (c, f) =>
    [
      [4, 6],
      [9, 12],
      [13, 19],
    ]
      .map(
        ([x = 0, y = 0]) =>
          `<g stroke="${borderColour(c)}" stroke-width=".6" fill="none"><circle cx="${x - 1.6}" cy="${y}" r="1"/><circle cx="${x + 1.6}" cy="${y + 0.4}" r="1"/><path d="M${x - 0.6} ${y}h1.2"/></g>`,
      )
      .join('') +
    c.seam(
      [
        [0.4, f.neck[1]],
        [5, 7],
        [11, 15],
        [f.half(23) - 1, 23],
      ],
      0.4,
    ),
  darts: (c, f) =>
    bothSeams(
      c,
      [
        [f.half(f.waist) * 0.52, 29],
        [f.half(f.waist) * 0.46, f.waist],
        [f.half(f.waist) * 0.5, f.waist + 10],
      ],
      0.26,
    ),
  yoke: (c, f) =>
    bothSeams(
      c,
      [
        [1.8, 15.4],
        [f.shoulder[0] - 0.6, 14.6],
      ],
      0.4,
    ) +
    c.stitch([
      [1.8, 16.2],
      [f.shoulder[0] - 0.6, 15.4],
    ]) +
    c.stitch([
      [-1.8, 16.2],
      [-f.shoulder[0] + 0.6, 15.4],
    ]),
  topstitch: (c, f) =>
    [2.4, -2.4]
      .map((x) =>
        c.stitch([
          [x, f.neck[1] + 1],
          [x, f.hem - 5],
        ]),
      )
      .join(''),
  epaulettes: (c, f) =>
    both(
      c,
      [
        [f.neck[0] + 4, 1.6],
        [f.shoulder[0] + 0.6, f.shoulder[1] - 1.2],
        [f.shoulder[0] + 0.9, f.shoulder[1] + 1.2],
        [f.neck[0] + 3.6, 4.4],
      ],
      { round: 0.5 },
    ),
  storm_flap: (c, f) =>
    c.seam(
      [
        [f.neck[0] + 5, 13],
        [14, 28],
        [f.half(26) - 2.4, 24],
      ],
      0.4,
    ),
  quilting,
  arm_slits: (c, f) =>
    bothSeams(
      c,
      [
        [f.half(50) * 0.62, 34],
        [f.half(50) * 0.66, 56],
      ],
      0.5,
    ),
  ruffles: (c, f) => (f.hem > f.waist + 20 ? ruffleAt(c, f, f.hem - 13, 12) : ruffleAt(c, f, f.hem - 8, 7.6)),
  tiers: (c, f) =>
    [0.33, 0.66]
      .map((t) => ruffleAt(c, f, f.waist + (f.hem - f.waist) * t - 2, (f.hem - f.waist) * 0.3))
      .join('') + ruffleAt(c, f, f.hem - 14, 13),
  pleats: (c, f) => pleats(c, f, Math.min(f.waist + 2, f.hem - 20)),
  slit: (c, f) =>
    c.piece(
      contour(
        [
          [f.half(f.hem) * 0.42, f.hem + 1.2],
          [f.half(f.hem) * 0.36, f.hem - 24],
          [f.half(f.hem) * 0.34, f.hem - 44],
        ],
        [
          [f.half(f.hem) * 0.34, f.hem - 44],
          [f.half(f.hem) * 0.56, f.hem - 18],
          [f.half(f.hem) * 0.66, f.hem + 1],
        ],
      ),
      { colour: c.dark, bare: true, sheen: 0, round: 0.5 },
    ),
  embroidery: (c, f) =>
    f.neck[1] > f.top
      ? embroidery(c, 0, Math.max(f.neck[1] + 9, 20), 8)
      : embroidery(c, f.half((f.waist + f.hem) / 2) * 0.4, f.hem - 18, 5),
  sequins: (c, f) =>
    Array.from({ length: 90 }, () => {
      const y = c.random.between(f.top + 16, f.hem - 2);
      const x = c.random.between(-1, 1) * f.half(Math.max(26, y)) * 0.9;
      return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${c.random.between(0.25, 0.55).toFixed(2)}" fill="#fff8e0" fill-opacity=".85"/>`;
    }).join(''),
  fringe: (c, f) =>
    Array.from({ length: 41 }, (_, i) => {
      const u = i / 20 - 1;
      return (
        path(
          `M${(u * f.half(f.hem)).toFixed(1)} ${(f.hem + 1.4 * (1 - u * u)).toFixed(1)}q${c.random.wobble(0.7).toFixed(2)} 3 ${c.random.wobble(0.7).toFixed(2)} 6.4`,
          { fill: 'none', stroke: c.fabric.colour, 'stroke-width': 0.7 },
        ) +
        path(`M${(u * f.half(f.hem) + 0.4).toFixed(1)} ${(f.hem + 1.4).toFixed(1)}v6`, {
          fill: 'none',
          stroke: c.line,
          'stroke-width': 0.16,
          'stroke-opacity': 0.6,
        })
      );
    }).join(''),
  front_zip: (c, f) =>
    path(`M0 ${f.neck[1]}V${f.hem + 1}`, { fill: 'none', stroke: c.dark, 'stroke-width': 1.5 }) +
    path(`M0 ${f.neck[1]}V${f.hem + 1}`, {
      fill: 'none',
      stroke: c.metal,
      'stroke-width': 0.8,
      'stroke-dasharray': '.36 .26',
    }),
  front_buttons: (c, f) => {
    const from = Math.max(f.top + 3, f.neck[1] + 3);
    const count = Math.max(3, Math.floor((Math.min(f.hem, 100) - from) / 9));
    return (
      c.seam(
        [
          [1.6, f.neck[1]],
          [1.6, f.hem],
        ],
        0.3,
      ) + Array.from({ length: count }, (_, i) => c.button(0, from + i * 9, 0.85)).join('')
    );
  },
  bow: (c, f) => {
    const y = f.neck[1] > 2 ? f.neck[1] + 1 : f.waist;
    return (
      [1, -1]
        .map(
          (s) =>
            c.piece(
              contour([
                [0, y],
                [s * 4, y - 4],
                [s * 8, y - 2],
                [s * 7, y + 3.4],
                [0, y + 1],
              ]),
              { round: 0.7 },
            ) +
            c.piece(
              contour(
                [
                  [0, y],
                  [s * 2.6, y + 5],
                  [s * 3.6, y + 11],
                ],
                [
                  [s * 3.6, y + 11],
                  [s * 0.8, y + 10],
                  [0, y + 3],
                ],
              ),
              { round: 0.7 },
            ),
        )
        .join('') +
      c.piece(
        contour([
          [-1.2, y - 1.4],
          [1.2, y - 1.4],
          [1.3, y + 1.6],
          [-1.3, y + 1.6],
          [-1.2, y - 1.4],
        ]),
        { round: 0.5 },
      )
    );
  },
  topstitching: (c, f) => c.stitch(across(f, f.hem - 1.4, 1.5), c.fabric.accents[0] ?? c.light),
};

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/ruffle|frill|flounce|peplum/, 'ruffles'],
  [/tier/, 'tiers'],
  [/pleat/, 'pleats'],
  [/\bslits?\b/, 'slit'],
  [/embroider|zardo[sz]i|aari|phulkari|mirror|applique|thread ?work/, 'embroidery'],
  [/sequin|bead|sparkl|crystal|rhinestone/, 'sequins'],
  [/fring|tassel/, 'fringe'],
  [/border|gota|zari|lace trim|contrast hem/, 'hem_border'],
  [/contrast belt|leather belt|buckle/, 'contrast_belt'],
  [/\bbelt|tie[- ]waist|sash|waist tie/, 'fabric_belt'],
  [/\bbows?\b|pussy/, 'bow'],
  [/zip/, 'front_zip'],
  [/button/, 'front_buttons'],
  [/patch pocket|big pocket|cargo/, 'patch_pockets'],
  [/chest pocket/, 'chest_pocket'],
  [/pocket/, 'slant_pockets'],
  [/quilt/, 'quilting'],
  [/piping|contrast edge/, 'piping'],
  [/topstitch|contrast stitch/, 'topstitching'],
  [/smock|shirr/, 'smocking'],
  [/drawstring|drawcord|cinch/, 'drawn_waist'],
];

/** Trims that have a part on the sleeves. */
export const SLEEVE_TRIMS: ReadonlySet<string> = new Set([
  'cuffs',
  'rib_cuffs',
  'zip_cuffs',
  'cuff_straps',
  'cuff_border',
  'sleeve_border',
  'quilting',
]);

/** The names of what a phrase asks to be sewn on. */
export const trimsIn = (words: string): string[] =>
  WORDS.filter(([pattern]) => pattern.test(words)).map(([, name]) => name);

/** Draws trims by name, each once; a name that is not in the table belongs to the cut itself. */
export const drawTrims = (cloth: Cloth, frame: Frame, names: readonly string[]): string =>
  [...new Set(names)]
    .map((name) => (Object.hasOwn(TRIMS, name) ? (TRIMS[name]?.(cloth, frame) ?? '') : ''))
    .join('');
