import { points } from '../drawing/points.js';
import type { Point } from '../drawing/geometry.js';
import { path } from '../drawing/svg-sheet.js';
import { contour, mirror, symmetric, type Cloth } from './cloth.js';
import { boxed, type Drawing } from './drawing.js';
import type { GarmentSpec } from './garment-spec.js';
import { borderColour, both, bothSeams, twice } from './trims/sewing.js';

const strip = (c: Cloth, colour: string, ...edge: readonly string[]): string =>
  c.piece(contour(...edge.map((e) => points(e))), { colour, bare: true, sheen: 0.4, round: 0.5, opacity: 1 });

/**
 * A saree draped as on a dress form: with pleats at the front, and its end over one shoulder. The neck point is
 * the origin.
 */
function saree(c: Cloth): Drawing {
  const gold = borderColour(c);
  const skirt = symmetric(
    points('0 44, 10 43, 18.4 42'),
    points('18.4 42, 24 56, 25 76, 27 108, 33 138'),
    points('33 138, 16 141, 0 142'),
  );
  const pleats = [-7, -3.6, -0.4, 3, 6.4]
    .map((x) =>
      c.fold(
        [
          [x * 1.9, 140],
          [x * 1.15, 100],
          [x * 0.7, 48],
        ],
        2.6,
        1,
      ),
    )
    .join('');
  // The pallu crosses the breast from the right hip to the left shoulder and falls behind it.
  const pallu = contour(
    points('-19 44, -21 34, -12 25, 2 14, 8.4 0'),
    points('8.4 0, 14 1, 20.4 4'),
    points('20.4 4, 20 16, 21 26, 16 34, 4 42, -4 50'),
    points('-4 50, -12 48, -19 44'),
  );
  const fall = contour(
    points('9 0, 15 1, 21 4'),
    points('21 4, 25 30, 27 64, 28 92'),
    points('28 92, 20 94, 13 93'),
    points('13 93, 14 60, 12 26, 9 0'),
  );
  const drape = ['-17 42, -6 30, 8 17, 13 3', '-12 46, 0 36, 12 22, 16.6 4', '-20 37, -8 26, 4 16, 10.6 2']
    .map((l) => c.fold(points(l), 2.2))
    .join('');
  const hem = strip(
    c,
    gold,
    '-33 138, -16 141, 0 142, 16 141, 33 138',
    '33 138, 32 132.6',
    '32 132.6, 16 135.6, 0 136.6, -16 135.6, -32 132.6',
    '-32 132.6, -33 138',
  );
  const edge = strip(
    c,
    gold,
    '20.4 4, 20 16, 21 26, 16 34, 4 42, -4 50',
    '-4 50, -6.6 49',
    '-6.6 49, 2 40, 13.6 31.6, 18 24.6, 17.6 14, 17.6 3',
  );
  const end = strip(
    c,
    gold,
    '28 92, 20 94, 13 93',
    '13 93, 13.2 84',
    '13.2 84, 20 85, 27.6 83',
    '27.6 83, 28 92',
  );
  const motifs = [132, 124]
    .map((y) =>
      [-22, -11, 0, 11, 22]
        .map((x) =>
          path(`M${x} ${y - 2}l1.4 2l-1.4 2l-1.4 -2Z`, { fill: gold, 'fill-opacity': y === 124 ? 0.8 : 0 }),
        )
        .join(''),
    )
    .join('');
  return boxed(
    c.piece(fall) +
      end +
      c.folds(points('22 88, 21 56, 18 20'), points('17 88, 17.4 60, 14 22')) +
      c.piece(skirt) +
      pleats +
      c.folds(points('-28 136, -24 104, -22 70'), points('26 136, 22 108, 21 78')) +
      hem +
      motifs +
      c.piece(pallu, { turn: 38 }) +
      drape +
      edge,
    [-36, -2],
    [36, 145],
  );
}

/** A cloth wound around the hips. Its middle is drawn through between the legs. */
function dhoti(c: Cloth): Drawing {
  const gold = borderColour(c);
  const leg = contour(
    points('0 4, 10 2, 19 0'),
    points('19 0, 27 18, 31 44, 25 74, 16 98'),
    points('16 98, 10 99, 6 97'),
    points('6 97, 8 70, 4 48, 0 40'),
  );
  const fall = contour(
    points('-4 3, 4 3'),
    points('4 3, 7 40, 9 84'),
    points('9 84, 0 87, -8 84'),
    points('-8 84, -6 40, -4 3'),
  );
  const hem = strip(c, gold, '9 84, 0 87, -8 84', '-8 84, -7.7 78', '-7.7 78, 0 81, 8.6 78', '8.6 78, 9 84');
  const band = symmetric(
    points('0 -1, 10 -1.4, 19.4 -2'),
    points('19.4 -2, 19.8 4'),
    points('19.8 4, 10 5.4, 0 6'),
  );
  return boxed(
    c.piece(mirror(leg)) +
      c.piece(leg) +
      ['20 14, 22 44, 14 80', '14 10, 16 40, 11 70', '26 26, 22 36, 10 44']
        .map((l) => twice(points(l), (line) => c.fold(line)))
        .join('') +
      [1, -1]
        .map((s) =>
          strip(
            c,
            gold,
            `${s * 16} 98, ${s * 10} 99, ${s * 6} 97`,
            `${s * 6} 97, ${s * 6.4} 93`,
            `${s * 6.4} 93, ${s * 11} 94.6, ${s * 17.6} 93.4`,
            `${s * 17.6} 93.4, ${s * 16} 98`,
          ),
        )
        .join('') +
      c.piece(fall) +
      [-3, 0, 3]
        .map((x) =>
          c.fold(
            [
              [x * 1.7, 82],
              [x * 1.2, 44],
              [x * 0.7, 8],
            ],
            1.6,
          ),
        )
        .join('') +
      hem +
      c.piece(band),
    [-34, -4],
    [34, 102],
  );
}

function swimsuit(c: Cloth): Drawing {
  const body = symmetric(
    points('0 21, 5 17, 8.6 8, 9.4 0'),
    [
      [9.4, 0],
      [13.4, 0.6],
    ],
    points('13.4 0.6, 13.6 12, 19.6 22'),
    points('19.6 22, 17.2 40, 20.6 54'),
    points('20.6 54, 12 62, 5 73'),
    points('5 73, 0 75'),
  );
  return boxed(
    c.piece(
      symmetric(
        points('0 26, 9 20, 10 0'),
        [
          [10, 0],
          [13, 0],
        ],
        points('13 0, 13.6 14, 18 24'),
        points('18 24, 8 36, 0 38'),
      ),
      { colour: c.dark, bare: true, sheen: 0 },
    ) +
      c.piece(body) +
      c.fold(points('18 40, 10 42, 2 41')) +
      c.fold(points('-17 42, -9 44, -2 43')) +
      c.seam(points('-18.4 24, -8 30, 0 25, 8 30, 18.4 24'), 0.3, 0.7) +
      bothSeams(c, points('20 53, 12 60.6, 5.6 71'), 0.3),
    [-23, -2],
    [23, 77],
  );
}

function legsOf(hem: number, low: number): Point[] {
  return contour(
    points('0 40, 10 40, 18.4 40'),
    [
      [18.4, 40],
      [24, 52],
      [26, 66],
      [25, 90],
      [15 + hem, low],
    ],
    [
      [15 + hem, low],
      [15 - hem, low + 0.6],
    ],
    [
      [15 - hem, low],
      [4, 96],
      [0, 70],
    ],
  );
}

function jumpsuit(c: Cloth): Drawing {
  const leg = legsOf(13.6, 142);
  const bodice = symmetric(
    points('0 20, 5 10, 9 0'),
    [
      [9, 0],
      [17, 3.4],
    ],
    points('17 3.4, 16 14, 21.6 23'),
    points('21.6 23, 18.4 40'),
    points('18.4 40, 9 41.4, 0 42'),
  );
  const belt = symmetric(
    points('0 39, 9 38.6, 18.9 37.6'),
    points('18.9 37.6, 19 41.6'),
    points('19 41.6, 9 43, 0 43.4'),
  );
  const inside = symmetric(points('0 1.6, 9 0'), points('9 0, 5 10, 0 20'));
  return boxed(
    c.piece(inside, { colour: c.dark, bare: true, sheen: 0 }) +
      c.piece(mirror(leg)) +
      c.piece(leg) +
      ['14 140, 15 100, 14 56', '24 64, 14 70, 2 72']
        .map((l) => twice(points(l), (line) => c.fold(line, 2, 0.8)))
        .join('') +
      c.piece(bodice) +
      c.seam(points('-8.6 0.6, -4 11, 2 22, 8 34, 10 40')) +
      c.fold(points('18 27, 10 31, 4 33')) +
      c.piece(belt) +
      c.seam(points('0 43, 0 70')),
    [-32, -2],
    [32, 145],
  );
}

function dungarees(c: Cloth): Drawing {
  const thread = '#c9954e';
  const leg = legsOf(10.4, 138);
  const bib = symmetric(
    points('0 14, 11 14'),
    points('11 14, 13 26, 18.6 38'),
    points('18.6 38, 18.6 43'),
    points('18.6 43, 0 44'),
  );
  const strap: Point[] = [
    [8, 15],
    [12, -1],
    [15.4, -0.4],
    [11.4, 16],
  ];
  const pocket: Point[] = [
    [-6, 20],
    [6, 20],
    [6, 29],
    [0, 32],
    [-6, 29],
  ];
  return boxed(
    both(c, strap) +
      c.piece(mirror(leg)) +
      c.piece(leg) +
      ['24 64, 14 70, 2 72', '12 104, 16 99, 22 99']
        .map((l) => twice(points(l), (line) => c.fold(line)))
        .join('') +
      c.piece(bib) +
      c.piece(pocket, { round: 0.5 }) +
      c.stitch(
        pocket.map(([x, y]): Point => [x * 0.88, y + (y < 25 ? 0.8 : -0.8)]),
        thread,
      ) +
      c.seam(points('-18.6 40, 0 41, 18.6 40'), 0.4) +
      c.stitch(points('-18.4 41, 0 42, 18.4 41'), thread) +
      [9.6, -9.6].map((x) => c.button(x, 16.6, 1.2, c.metal)).join('') +
      c.seam(points('0 44, 0 70')) +
      bothSeams(c, points('9 44, 12 51, 23 53'), 0.44) +
      twice(points('5 135, 25 135'), (line) => c.stitch(line, thread)),
    [-32, -3],
    [32, 142],
  );
}

const DRAPES: Readonly<Record<string, (c: Cloth) => Drawing>> = {
  saree,
  dhoti,
  swimsuit,
  jumpsuit,
  dungarees,
};

/** Draws garments that are wound, drawn up, or cut in one piece with their legs. Undefined for all others. */
export function drawDrape(cloth: Cloth, spec: GarmentSpec): Drawing | undefined {
  const { silhouette } = spec.category;
  return Object.hasOwn(DRAPES, silhouette) ? DRAPES[silhouette]?.(cloth) : undefined;
}
