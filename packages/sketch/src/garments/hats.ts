import { shade } from '../drawing/colour.js';
import { points } from '../drawing/points.js';
import { contour, symmetric, type Cloth } from './cloth.js';
import { boxed, type Drawing } from './drawing.js';
import type { GarmentSpec } from './garment-spec.js';
import { borderColour, bothSeams } from './trims/sewing.js';

interface Hat {
  readonly svg: string;
  readonly top: number;
  readonly reach: number;
  readonly low: number;
}

const ribbon = (c: Cloth): string => c.fabric.accents[0] ?? shade(c.fabric.colour, -30, 0.8);

/** Hats seen from the front. The head's brow line is at 0, and the half-breadth there is 20. */
const HATS: Readonly<Record<string, (c: Cloth) => Hat>> = {
  cap: (c) => {
    const crown = symmetric(points('0 -24, 11 -23, 19 -15, 21 0'), points('21 0, 10 3, 0 4'));
    const brim = symmetric(
      [[0, 0]],
      points('0 -1, 12 -1.6, 20.6 0.4'),
      points('20.6 0.4, 24 6, 20 9.6, 10 10.6, 0 11'),
    );
    return {
      svg:
        c.piece(crown) +
        c.seam(points('0 -24, 0 -1')) +
        bothSeams(c, points('-2 -24, -12 -15, -14 1'), 0.32) +
        c.piece(brim, { round: 1.1 }) +
        c.stitch(points('-20 6, -10 8, 0 8.6, 10 8, 20 6')) +
        c.button(0, -24, 1),
      top: -27,
      reach: 26,
      low: 13,
    };
  },
  beanie: (c) => {
    const crown = symmetric(points('0 -29, 10 -28, 18.6 -19, 21.4 -4'), points('21.4 -4, 10 -1, 0 0'));
    const fold = symmetric(
      points('0 -7, 12 -7.6, 21.8 -9'),
      points('21.8 -9, 22.6 -2, 21.6 5'),
      points('21.6 5, 12 7, 0 7.6'),
    );
    const ribs = (from: number, to: number, count: number): string =>
      Array.from({ length: count }, (_, i) => {
        const u = (i - (count - 1) / 2) / (count / 2);
        return c.seam(
          [
            [u * 17, from + 8 * u * u],
            [u * 20.4, (from + to) / 2],
            [u * 21.4, to - 2 * u * u],
          ],
          0.4,
          0.4,
        );
      }).join('');
    return {
      svg:
        `<circle cx="0" cy="-31" r="6" fill="${c.light}" stroke="${c.line}" stroke-width=".4"/>` +
        c.piece(contour(points('-6 -31, -3 -36, 3 -36, 6 -31, 3 -26, -3 -26, -6 -31'))) +
        c.piece(crown) +
        ribs(-28, -8, 11) +
        c.piece(fold) +
        ribs(-7, 7, 15),
      top: -38,
      reach: 25,
      low: 9,
    };
  },
  brim_hat: (c) => hatWithBrim(c, 40, 26),
  sun_hat: (c) => hatWithBrim(c, 50, 22),
  turban: (c) => {
    const wrap = symmetric(points('0 -31, 14 -29, 25 -19, 25.6 -6, 21 5'), points('21 5, 10 -1, 0 -6'));
    const across = [
      '-24 -17, -8 -16, 12 -4, 21 4',
      '24 -19, 8 -20, -12 -8, -21 4',
      '-19 -24, -2 -22, 14 -13, 22 -3',
      '17 -25, 3 -25, -13 -18, -22 -7',
    ];
    return {
      svg:
        c.piece(wrap) +
        across.map((l) => c.fold(points(l), 2.6)).join('') +
        `<path d="M0 -24l3.4 6l-3.4 7l-3.4 -7Z" fill="${borderColour(c)}" stroke="${c.line}" stroke-width=".4"/><circle cx="0" cy="-17.6" r="1.5" fill="#a5273a"/>`,
      top: -34,
      reach: 28,
      low: 8,
    };
  },
  headscarf: (c) => {
    const outer = symmetric(
      points('0 -26, 13 -24, 23 -12, 24 8, 20 30'),
      points('20 30, 26 44, 24 54'),
      points('24 54, 10 58, 0 56'),
    );
    const face = symmetric(points('0 -14, 10 -12.6, 16.6 -3, 17 10'), points('17 10, 13 26, 0 36'));
    // A keyhole at the top leaves the face open. It shows the face when the scarf is worn, and the scarf's
    // inside when it lies flat.
    const scarf = [
      ...outer,
      [0, -26] as const,
      [0, -14] as const,
      ...[...face].reverse(),
      [0, -14] as const,
      [0, -26] as const,
    ];
    const folds = ['19 8, 15 28, -6 40, -20 42', '-19 12, -13 30, 6 42, 20 46', '20 -8, 22 12, 18 28'];
    return {
      svg:
        c.piece(face, { colour: c.dark, bare: true, sheen: 0, opacity: c.flat ? 1 : 0 }) +
        c.piece(scarf, { round: 0.8 }) +
        folds.map((l) => c.fold(points(l), 2.2)).join(''),
      top: -29,
      reach: 28,
      low: 60,
    };
  },
};

function hatWithBrim(c: Cloth, reach: number, height: number): Hat {
  const crown = symmetric(
    [
      [0, -height + 3],
      [5, -height + 1],
      [12, -height - 1],
      [19, -height + 5],
      [21, -3],
    ],
    points('21 -3, 10 1, 0 2'),
  );
  const brim = symmetric(
    [
      [0, -4],
      [22, -5],
      [reach * 0.8, -3],
      [reach, 1],
    ],
    [
      [reach, 1],
      [reach * 0.7, 7],
      [reach * 0.35, 9],
      [0, 9.6],
    ],
  );
  const under = symmetric(
    [
      [0, -5.4],
      [18, -6],
      [24, -3],
    ],
    [
      [24, -3],
      [12, 0.6],
      [0, 1.4],
    ],
  );
  const band = symmetric(
    [
      [0, -4.4],
      [12, -5],
      [20.6, -8.4],
    ],
    [
      [20.6, -8.4],
      [21, -2],
    ],
    [
      [21, -2],
      [12, 0.6],
      [0, 1.6],
    ],
  );
  return {
    svg:
      c.piece(brim, { round: 1.1 }) +
      c.piece(under, { bare: true, colour: c.dark, sheen: 0, round: 0.3 }) +
      c.piece(crown) +
      c.fold(
        [
          [0, -height + 4],
          [1, -height + 9],
          [0, -height + 13],
        ],
        4,
      ) +
      c.piece(band, { colour: ribbon(c), bare: true, round: 0.5, sheen: 0.3 }),
    top: -height - 4,
    reach: reach + 2,
    low: 12,
  };
}

/** Undefined if the category is not headwear. */
export function drawHat(cloth: Cloth, spec: GarmentSpec): Drawing | undefined {
  const hat = Object.hasOwn(HATS, spec.category.silhouette)
    ? HATS[spec.category.silhouette]?.(cloth)
    : undefined;
  return hat && boxed(hat.svg, [-hat.reach, hat.top], [hat.reach, hat.low]);
}
