import { lightness, shade } from '../../drawing/colour.js';
import { type Point } from '../../drawing/geometry.js';
import { path } from '../../drawing/svg-sheet.js';
import { contour, mirror, type Cloth } from '../cloth.js';
import { across, band, type Frame, type Trim } from '../frame.js';
import { borderColour, both, down, placed } from './sewing.js';

/** The knot of a bow. */
const knot = (cloth: Cloth, landmarks: string, y: number, round: number): string =>
  cloth.piece(contour(placed(landmarks, 0, y)), { round });

const belt = (
  cloth: Cloth,
  frame: Frame,
  height: number,
  colour: string | undefined,
  buckle: 'bow' | 'buckle',
): string => {
  const y = frame.waist;
  const own = colour ? { colour, bare: true } : {};
  const strip = cloth.piece(
    band({ ...frame, half: (at) => frame.half(at) + 0.5 }, y - height / 2, y + height / 2),
    { round: 0.7, ...own },
  );
  if (buckle === 'buckle')
    return (
      strip +
      `<rect x="-2.6" y="${y - height / 2 + 0.4}" width="5.2" height="${height + 0.8}" rx=".7" fill="none" stroke="${cloth.metal}" stroke-width=".9"/>` +
      cloth.piece(contour(placed('3 1, 8 3, 10 9', 0, y), placed('10 9, 7.4 9.6, 5.4 4.6, 2 3.6', 0, y)), {
        ...own,
        round: 0.6,
      })
    );
  const tail = (drop: number): Point[] =>
    contour(
      [...placed('0 0, 3 6', 0, y), [4.4, y + drop]],
      [
        [4.4, y + drop],
        [1.4, y + drop + 1],
      ],
      [[1.4, y + drop + 1], ...placed('0.6 8, -0.8 1', 0, y)],
    );
  const loop = contour(placed('0 0, 4 -3.4, 7.4 -1.4, 6 2.6, 0 0.8', 0, y));
  return (
    strip +
    [tail(17), mirror(tail(14)), loop, mirror(loop)]
      .map((s) => cloth.piece(s, { ...own, round: 0.7 }))
      .join('') +
    knot(cloth, '-1.3 -1.4, 1.3 -1.4, 1.5 1.6, -1.5 1.6, -1.3 -1.4', y, 0.6)
  );
};

/** Trims that close, tie or cinch a garment. */
export const TIES: Readonly<Record<string, Trim>> = {
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
  neck_tie: (c, f) => {
    const y = f.neck[1];
    const tail = (d: number): Point[] =>
      contour(
        [...placed('0 -1, 3.4 7', 0, y), [4.6, y + d]],
        [
          [4.6, y + d],
          [1.5, y + d + 1.6],
        ],
        [[1.5, y + d + 1.6], ...placed('0.6 8, -0.6 0', 0, y)],
      );
    return (
      [tail(22), mirror(tail(18))].map((t) => c.piece(t, { round: 0.7 })).join('') +
      both(c, contour(placed('0 -0.6, 4 -4, 7.6 -1.6, 6 3, 0 0.8', 0, y)), { round: 0.7 }) +
      knot(c, '-1.3 -1.8, 1.3 -1.8, 1.4 1.4, -1.4 1.4, -1.3 -1.8', y, 0.6)
    );
  },
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
  bow: (c, f) => {
    const y = f.neck[1] > 2 ? f.neck[1] + 1 : f.waist;
    const loop = contour(placed('0 0, 4 -4, 8 -2, 7 3.4, 0 1', 0, y));
    const tail = contour(placed('0 0, 2.6 5, 3.6 11', 0, y), placed('3.6 11, 0.8 10, 0 3', 0, y));
    return (
      [loop, tail, mirror(loop), mirror(tail)].map((s) => c.piece(s, { round: 0.7 })).join('') +
      knot(c, '-1.2 -1.4, 1.2 -1.4, 1.3 1.6, -1.3 1.6, -1.2 -1.4', y, 0.5)
    );
  },
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
      c.seam(down(1.6, f.neck[1], f.hem), 0.3) +
      Array.from({ length: count }, (_, i) => c.button(0, from + i * 9, 0.85)).join('')
    );
  },
};
