import { lightness, shade } from '../drawing/colour.js';
import type { Point } from '../drawing/geometry.js';
import { points } from '../drawing/points.js';
import { group } from '../drawing/svg-sheet.js';
import { contour, type Cloth } from './cloth.js';
import { boxed, type Drawing } from './drawing.js';
import type { GarmentSpec } from './garment-spec.js';
import { borderColour } from './trims/sewing.js';

const edges = (...lines: readonly string[]): Point[] => contour(...lines.map((l) => points(l)));

type Shoe = (cloth: Cloth) => string;

/**
 * A shoe seen from its outer side, with the toe to the left. It is a hundred units long; the ground is at 60.
 */
const SHOES: Readonly<Record<string, Shoe>> = {
  sneaker: (c) => {
    const sole = shade('#f4f1ea', lightness(c.fabric.colour) > 85 ? -8 : 0);
    const stripe = c.fabric.accents[0] ?? (lightness(c.fabric.colour) > 60 ? '#3b4552' : '#f1ede4');
    return (
      c.piece(
        edges(
          '2 50, 6 42, 18 36, 32 30, 44 20, 52 12',
          '52 12, 62 14, 74 13, 88 8',
          '88 8, 95 20, 97 36, 97 54',
          '97 54, 50 55, 2 55',
        ),
      ) +
      c.piece(edges('2 50, 6 42, 18 36, 26 34', '26 34, 28 44, 24 55', '24 55, 2 55'), { round: 0.7 }) +
      c.piece(edges('84 9, 88 8, 95 20, 97 38', '97 38, 86 36, 82 22, 84 9'), {
        colour: stripe,
        bare: true,
        round: 0.6,
      }) +
      c.piece(edges('46 53, 56 40, 64 28', '64 28, 71 29', '71 29, 66 42, 58 53'), {
        colour: stripe,
        bare: true,
        round: 0.5,
      }) +
      [0, 1, 2, 3]
        .map((i) =>
          c.seam(
            points(
              `${32 + i * 5.6} ${28 - i * 5}, ${37 + i * 5.4} ${31 - i * 3.6}, ${41 + i * 5.2} ${34 - i * 3}`,
            ),
            1.1,
            0.9,
          ),
        )
        .join('') +
      c.piece(edges('0 54, 2 49, 22 53, 60 53, 98 50', '98 50, 99 56, 96 61', '96 61, 50 62, 6 61, 0 54'), {
        colour: sole,
        bare: true,
        round: 0.6,
        sheen: 0,
      }) +
      c.seam(points('3 57, 40 58.4, 97 57'), 0.5, 0.6)
    );
  },
  loafer: (c) =>
    c.piece(
      edges(
        '2 53, 4 46, 16 38, 30 33, 44 26',
        '44 26, 60 33, 76 31, 92 22',
        '92 22, 97 36, 97 54',
        '97 54, 50 56, 2 55',
      ),
    ) +
    c.piece(edges('44 26, 60 33, 76 31, 92 22', '92 22, 80 26, 62 26, 50 22, 44 26'), {
      colour: c.dark,
      bare: true,
      sheen: 0,
    }) +
    c.seam(points('10 42, 22 40, 36 42, 48 36'), 0.8) +
    c.piece(edges('30 34, 44 27, 50 31', '50 31, 54 40, 48 45', '48 45, 38 43, 30 34'), { round: 0.6 }) +
    c.seam(points('38 36, 46 36'), 1) +
    sole(c, 3, 8),
  oxford: (c) =>
    c.piece(
      edges(
        '2 53, 4 46, 16 39, 30 33, 42 24, 50 16',
        '50 16, 64 18, 78 18, 91 14',
        '91 14, 96 30, 97 54',
        '97 54, 50 56, 2 55',
      ),
    ) +
    c.seam(points('24 36, 29 46, 27 56'), 0.8) +
    c.stitch(points('26 36, 31 46, 29 56')) +
    c.piece(edges('40 26, 50 16, 66 20', '66 20, 68 34, 58 40', '58 40, 48 36, 40 26'), { round: 0.5 }) +
    [0, 1, 2]
      .map((i) => c.seam(points(`${45 + i * 4} ${29 - i * 4}, ${50 + i * 4.4} ${32 - i * 3.6}`), 1, 0.9))
      .join('') +
    sole(c, 3, 9),
  ballet_flat: (c) =>
    c.piece(
      edges(
        '2 56, 4 50, 12 44, 22 43',
        '22 43, 34 52, 58 50, 90 32',
        '90 32, 96 40, 97 56',
        '97 56, 50 58, 2 57',
      ),
    ) +
    c.piece(edges('22 43, 34 52, 58 50, 90 32', '90 32, 84 33, 60 43, 36 44, 22 43'), {
      colour: c.dark,
      bare: true,
      sheen: 0,
    }) +
    c.piece(edges('20 44, 12 38, 15 34, 22 42, 30 35, 34 40, 24 45'), { round: 0.6 }) +
    sole(c, 1.6, 3),
  pump: (c) =>
    c.piece(
      edges(
        '0 58, 4 53, 14 50, 24 46',
        '24 46, 38 52, 60 36, 92 8',
        '92 8, 98 16, 97 28',
        '97 28, 84 36, 66 50, 44 60, 2 60',
      ),
    ) +
    c.piece(edges('24 46, 38 52, 60 36, 92 8', '92 8, 86 9, 60 30, 40 42, 24 46'), {
      colour: c.dark,
      bare: true,
      sheen: 0,
    }) +
    c.piece(edges('97 27, 95 42, 93.6 61', '93.6 61, 90.6 61', '90.6 61, 90 46, 84 36', '84 36, 97 27'), {
      round: 0.8,
    }),
  heeled_sandal: (c) =>
    c.piece(
      edges('2 57, 8 55, 30 56, 52 48, 74 32, 96 22', '96 22, 97 27', '97 27, 78 38, 56 54, 34 61, 4 60'),
      { colour: '#c9a783', bare: true, sheen: 0.2 },
    ) +
    c.piece(edges('12 56, 14 46, 24 42', '24 42, 34 46, 36 56', '36 56, 12 57'), { round: 0.8 }) +
    c.piece(edges('96 24, 95 6, 92 2', '92 2, 88 4, 90 26', '90 26, 96 24'), { round: 0.6 }) +
    c.piece(edges('92 2, 76 -1, 62 5', '62 5, 63 9', '63 9, 77 3.6, 92 7', '92 7, 92 2'), { round: 0.5 }) +
    c.piece(edges('97 26, 96 44, 94 61', '94 61, 90 61', '90 61, 90 44, 85 34', '85 34, 97 26'), {
      round: 0.8,
    }),
  sandal: (c) =>
    c.piece(edges('2 56, 20 55, 50 54, 97 53', '97 53, 98 61', '98 61, 4 61, 2 56'), {
      colour: '#b08a63',
      bare: true,
      sheen: 0.1,
    }) +
    [
      ['10 55, 14 44, 26 40', '26 40, 36 44, 38 54', '38 54, 10 56'],
      ['58 54, 54 40, 60 28', '60 28, 68 28, 70 54', '70 54, 58 54'],
      ['60 28, 78 22, 96 30', '96 30, 96 37', '96 37, 78 30, 62 35', '62 35, 60 28'],
      ['90 33, 92 54', '92 54, 97 54', '97 54, 96 32'],
    ]
      .map((s) => c.piece(edges(...s), { round: 0.7 }))
      .join('') +
    `<rect x="75" y="24" width="6" height="6" rx="1" fill="none" stroke="${c.metal}" stroke-width="1.3"/>`,
  flip_flop: (c) =>
    c.piece(edges('0 54, 6 50, 40 51, 70 52, 97 50', '97 50, 99 56, 96 61', '96 61, 50 62, 4 61, 0 54'), {
      round: 0.8,
    }) +
    [['14 51, 16 42', '16 42, 30 34, 52 40, 64 51', '64 51, 58 52', '58 52, 46 44, 30 40, 20 46, 18 52']]
      .map((s) => c.piece(edges(...s), { colour: c.fabric.accents[0] ?? c.dark, bare: true, sheen: 0.4 }))
      .join(''),
  ankle_boot: (c) =>
    c.piece(
      edges(
        '2 52, 4 44, 16 37, 32 32, 42 20, 46 -6, 46 -20',
        '46 -20, 70 -22, 94 -20',
        '94 -20, 93 10, 97 32, 97 52',
        '97 52, 50 54, 2 54',
      ),
    ) +
    c.piece(edges('60 -21, 60 12', '60 12, 74 12', '74 12, 75 -21', '75 -21, 60 -21'), {
      colour: c.dark,
      bare: true,
      sheen: 0,
      round: 0.5,
    }) +
    c.fold(points('44 18, 56 24, 70 20')) +
    c.fold(points('46 10, 58 16, 68 14')) +
    sole(c, 3, 9),
  knee_boot: (c) =>
    c.piece(
      edges(
        '2 52, 4 44, 16 37, 32 31, 41 18, 44 -20, 40 -66, 38 -108',
        '38 -108, 66 -111, 96 -108',
        '96 -108, 96 -60, 92 -12, 97 30, 97 52',
        '97 52, 50 54, 2 54',
      ),
    ) +
    c.seam(points('68 -110, 70 -40, 74 20, 80 52'), 0.6) +
    c.fold(points('42 16, 56 22, 70 18')) +
    c.fold(points('44 6, 58 12, 68 9')) +
    c.fold(points('44 -4, 54 0, 62 -2')) +
    sole(c, 3, 9),
  jutti: (c) =>
    c.piece(
      edges(
        '-4 40, 2 48, 16 46, 26 42',
        '26 42, 40 51, 62 48, 92 34',
        '92 34, 97 42, 97 56',
        '97 56, 50 58, 14 57',
        '14 57, 2 55, -8 46, -4 40',
      ),
    ) +
    c.piece(edges('26 42, 40 51, 62 48, 92 34', '92 34, 84 36, 62 42, 42 43, 26 42'), {
      colour: c.dark,
      bare: true,
      sheen: 0,
    }) +
    [
      [16, 51],
      [30, 53],
      [46, 55],
      [62, 54],
      [78, 50],
      [90, 45],
    ]
      .map(
        ([x = 0, y = 0]) =>
          `<path d="M${x} ${y - 3}l2.4 3l-2.4 3l-2.4 -3Z" fill="${borderColour(c)}"/><circle cx="${x + 6}" cy="${y + 1}" r=".9" fill="${borderColour(c)}"/>`,
      )
      .join('') +
    sole(c, 1.6, 2),
};

const sole = (c: Cloth, thick: number, heel: number): string => {
  const l = lightness(c.fabric.colour);
  const colour = l < 24 ? '#3d3733' : shade(c.fabric.colour, l > 45 ? -34 : -8, 0.6);
  const block: Point[] = [
    [74, 56],
    [97, 54],
    [96.4, 56 + heel],
    [76, 56 + heel],
  ];
  return (
    c.piece(
      [
        [1, 55],
        [50, 56.4],
        [97.6, 54],
        [97, 54 + thick],
        [50, 56.6 + thick],
        [3, 55.6 + thick],
      ],
      { colour, bare: true, round: 0.5, sheen: 0 },
    ) + (heel > 4 ? c.piece(block, { colour, bare: true, round: 0.6, sheen: 0 }) : '')
  );
};

/** A pair of shoes, the second a little behind the first. Undefined if the category is not footwear. */
export function drawShoes(cloth: Cloth, spec: GarmentSpec): Drawing | undefined {
  const shoe = Object.hasOwn(SHOES, spec.category.silhouette) ? SHOES[spec.category.silhouette] : undefined;
  if (!shoe) return undefined;
  const one = shoe(cloth);
  const tall =
    spec.category.silhouette === 'knee_boot' ? -112 : spec.category.silhouette === 'ankle_boot' ? -24 : 0;
  const behind: Point = tall < -50 ? [44, -6] : [24, -26];
  const svg = group({ transform: `translate(${behind[0]} ${behind[1]})` }, one) + one;
  return boxed(svg, [-9, tall + behind[1] - 2], [100 + behind[0], 68]);
}
