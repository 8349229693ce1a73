import { lightness, shade } from '../drawing/colour.js';
import type { Point } from '../drawing/geometry.js';
import { contour, mirror, symmetric, type Cloth, type PieceOptions } from './cloth.js';
import type { Cut } from './cuts.js';
import type { Frame } from './frame.js';

const pair = (cloth: Cloth, shape: readonly Point[], options: PieceOptions = {}): string =>
  cloth.piece(mirror(shape), { ...options, turn: -(options.turn ?? 0) }) + cloth.piece(shape, options);

function shirtCollar(cloth: Cloth, { neck: [n, d] }: Frame, worn: boolean): string {
  const stand = symmetric(
    [
      [0, -2.6],
      [n * 0.6, -2.4],
      [n, -1.4],
    ],
    [
      [n, 0],
      [n * 0.5, 2.2],
      [0, 2.6],
    ],
  );
  const leaf = contour(
    [
      [0.2, d - 0.6],
      [n * 0.55, d * 0.55],
      [n * 0.94, -2.2],
    ],
    [
      [n + 1.2, 0.4],
      [n + 0.4, 3],
      [n * 0.74 + 1.6, d + 5],
    ],
    [
      [n * 0.74 + 1.6, d + 5],
      [0.2, d - 0.6],
    ],
  );
  return (
    (worn ? '' : cloth.piece(stand, { colour: shade(cloth.fabric.colour, -9), bare: true, round: 0.6 })) +
    pair(cloth, leaf, { turn: -24, round: 0.7 })
  );
}

function standCollar(cloth: Cloth, { neck: [n, d] }: Frame, worn: boolean): string {
  const back = symmetric(
    [
      [0, -3.6],
      [n * 0.6, -3.4],
      [n - 0.4, -2.8],
    ],
    [
      [n, 0],
      [n * 0.5, 1],
      [0, 1.2],
    ],
  );
  const front = contour(
    [
      [0.7, d],
      [n * 0.5, d * 0.8],
      [n * 0.86, d * 0.4],
      [n, 0],
    ],
    [
      [n, 0],
      [n - 0.4, -3.2],
    ],
    [
      [n - 0.4, -3.2],
      [n * 0.78, d * 0.4 - 2.8],
      [n * 0.46, d * 0.8 - 3.2],
      [1.1, d - 3.4],
    ],
  );
  return (
    (worn ? '' : cloth.piece(back, { colour: shade(cloth.fabric.colour, -12), bare: true, round: 0.5 })) +
    pair(cloth, front, { round: 0.6 })
  );
}

function rollCollar(cloth: Cloth, { neck: [n, d] }: Frame): string {
  const tube = symmetric(
    [
      [0, -7.6],
      [n * 0.7, -7.4],
      [n * 0.98, -6.4],
    ],
    [
      [n * 0.98, -6.4],
      [n + 0.6, -2],
      [n, 0.6],
    ],
    [
      [n, 0.6],
      [n * 0.5, d + 2.6],
      [0, d + 3],
    ],
  );
  const ribs = Array.from({ length: 9 }, (_, i): Point[] => {
    const x = ((i - 4) / 4.6) * n;
    return [
      [x * 0.96, -7],
      [x, -2],
      [x, 2.2 - Math.abs(x) * 0.12],
    ];
  });
  return (
    cloth.piece(tube) +
    ribs.map((line) => cloth.seam(line, 0.26, 0.4)).join('') +
    cloth.seam(
      [
        [-n, -1.4],
        [0, 0.6],
        [n, -1.4],
      ],
      0.36,
    )
  );
}

/** Ribbing along the neckline. */
function ribCollar(cloth: Cloth, { neckline, neck: [n] }: Frame): string {
  const width = 2.1;
  const outer = neckline.map(([x, y]): Point => [
    x + (x / n) * width * 0.55,
    y + width * (1 - 0.5 * (x / n)),
  ]);
  const shape = contour([...neckline], [...outer].reverse());
  return pair(cloth, shape, {
    round: 0.5,
    bare: true,
    colour: shade(cloth.fabric.colour, lightness(cloth.fabric.colour) < 24 ? 4 : -5),
  });
}

/** Lapels: the turned-back edges of an open front, from the neck to the point where the front closes. */
function lapels(
  cloth: Cloth,
  { neck: [n, d] }: Frame,
  kind: 'notch' | 'shawl' | 'coat' | 'biker',
  satin: boolean,
): string {
  const wide = { notch: 8.4, shawl: 7, coat: 11, biker: 11.5 }[kind];
  const facing: PieceOptions = satin
    ? {
        colour: shade(cloth.fabric.colour, lightness(cloth.fabric.colour) < 40 ? 5 : -6),
        bare: true,
        sheen: 0.8,
        turn: -16,
      }
    : { turn: -18, round: 0.9 };
  const edge: Point[] = [
    [0.5, d + 0.6],
    [n * 0.5, d * 0.53],
    [n * 0.84, d * 0.18],
    [n, -1],
  ];
  if (kind === 'shawl') {
    const roll = contour(edge, [
      [n, -1],
      [n + 2.6, 1],
      [n + wide - 1.4, 11],
      [n + wide * 0.4, d * 0.6],
      [0.5, d + 0.6],
    ]);
    return pair(cloth, roll, facing);
  }
  const gorge: Point = [n + 2.4, 10.4];
  const lapel = contour(
    edge.slice(0, 3),
    [
      [n * 0.84, d * 0.18],
      [n * 0.98, 7.4],
    ],
    [
      [n * 0.98, 7.4],
      [n + wide - 1, 10],
      [n + wide - 0.8, 12.2],
    ],
    [
      [n + wide - 0.8, 12.2],
      [n * 0.9 + wide * 0.34, d * 0.66],
      [0.5, d + 0.6],
    ],
  );
  const collar = contour(
    [
      [n * 0.82, d * 0.2],
      [n, -1.6],
    ],
    [
      [n, -1.6],
      [n + 2.8, 0.6],
      [n + 5, 5.6],
    ],
    [[n + 5, 5.6], gorge],
    [gorge, [n * 0.98, 7.6], [n * 0.82, d * 0.2]],
  );
  return (
    pair(cloth, lapel, facing) +
    pair(cloth, collar, { ...(kind === 'notch' ? {} : facing), turn: -30, round: 0.8 })
  );
}

function hood(cloth: Cloth, cut: Cut, { neck: [n, d] }: Frame, worn: boolean): string {
  const fur = cut.trims.includes('fur_hood');
  const back = symmetric(
    [
      [0, -13],
      [n * 0.7, -12.4],
      [n + 3.4, -6],
      [n + 3.6, 2],
    ],
    [
      [n + 3.6, 2],
      [0, 5],
    ],
  );
  const inner = symmetric(
    [
      [0, -9],
      [n * 0.6, -8.4],
      [n * 0.98, -3.4],
      [n * 0.96, 1],
    ],
    [
      [n * 0.5, d * 0.55],
      [0, d],
    ],
  );
  const side = contour(
    [
      [0.4, d + 0.5],
      [n * 0.5, d * 0.55],
      [n * 0.95, 0],
      [n * 0.92, -4.6],
    ],
    [
      [n * 0.92, -4.6],
      [n + 3.6, -5],
      [n + 5, 2],
      [n + 3, 7],
    ],
    [
      [n + 3, 7],
      [n * 0.8, d * 0.8],
      [0.4, d + 3],
    ],
  );
  const trim = fur
    ? pair(
        cloth,
        contour(
          [
            [n * 0.7, d * 0.4],
            [n * 0.98, -1],
            [n * 0.9, -5],
          ],
          [
            [n * 0.9, -5],
            [n + 3.4, -5.4],
            [n + 3.2, 2],
            [n * 0.9, d * 0.55 + 3],
          ],
        ),
        { colour: '#b79f80', bare: true, sheen: 0 },
      )
    : '';
  return (
    (worn ? '' : cloth.piece(back) + cloth.piece(inner, { colour: cloth.dark, bare: true, sheen: 0 })) +
    pair(cloth, side, { turn: -14 }) +
    trim
  );
}

/** Collar, lapels or hood. If the garment is worn, only the part in front of the neck is drawn. */
export function drawCollar(cloth: Cloth, cut: Cut, frame: Frame, worn: boolean): string {
  switch (cut.collar) {
    case 'none':
      return '';
    case 'shirt':
      return shirtCollar(cloth, frame, worn);
    case 'stand':
      return standCollar(cloth, frame, worn);
    case 'roll':
      return rollCollar(cloth, frame);
    case 'rib':
      return ribCollar(cloth, frame);
    case 'hood':
      return hood(cloth, cut, frame, worn);
    case 'notch':
    case 'shawl':
    case 'coat':
    case 'biker':
      return lapels(cloth, frame, cut.collar, cut.trims.includes('satin_lapel'));
    default: {
      const unknown: never = cut.collar;
      throw new RangeError(`no collar ${String(unknown)}`);
    }
  }
}
