import type { Point } from '../drawing/geometry.js';
import { points } from '../drawing/points.js';
import { path } from '../drawing/svg-sheet.js';
import { contour, symmetric, type Cloth } from './cloth.js';
import { boxed, type Drawing } from './drawing.js';
import type { GarmentSpec } from './garment-spec.js';
import { embroidery } from './trims/ornaments.js';
import { borderColour } from './trims/sewing.js';
import { trimsIn } from './trims/trims.js';
import { shapeWords } from './tailor.js';

const clasp = (c: Cloth, x: number, y: number, w: number, h: number): string =>
  `<rect x="${x - w / 2}" y="${y}" width="${w}" height="${h}" rx="${h * 0.25}" fill="${c.metal}" stroke="${c.line}" stroke-width=".4"/><rect x="${x - w / 2 + 0.6}" y="${y + 0.6}" width="${w - 1.2}" height="${h * 0.3}" rx=".4" fill="#fff" fill-opacity=".45"/>`;

/** A handle as a bent tube. */
const handle = (c: Cloth, arc: string, width: number): string => {
  const d = `M${contour(points(arc))
    .map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`)
    .join('L')}`;
  const line = (stroke: string, w: number): string =>
    path(d, {
      fill: 'none',
      stroke,
      'stroke-width': w,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
    });
  return (
    line(c.line, width + 0.9) +
    line(c.fabric.colour, width) +
    path(d, {
      fill: 'none',
      stroke: '#fff',
      'stroke-opacity': 0.28,
      'stroke-width': width * 0.3,
      transform: `translate(${-width * 0.14} ${-width * 0.14})`,
    })
  );
};

const ring = (c: Cloth, x: number, y: number): string =>
  `<circle cx="${x}" cy="${y}" r="2" fill="none" stroke="${c.metal}" stroke-width="1"/>`;

type Bag = (cloth: Cloth) => { svg: string; top: number; reach: number; low: number };

/** Body of a bag around the origin, handles above it. */
const BAGS: Readonly<Record<string, Bag>> = {
  handbag: (c) => {
    const body = symmetric(
      [
        [0, 0],
        [26, 0],
      ],
      points('26 0, 31 18, 34 42'),
      points('34 42, 30 45, 0 46'),
    );
    const flap = symmetric(
      [
        [0, -1],
        [26.4, -1],
      ],
      points('26.4 -1, 28 10, 24 20'),
      points('24 20, 12 24, 0 25'),
    );
    return {
      svg:
        handle(c, '-15 2, -14 -16, -6 -26, 6 -26, 14 -16, 15 2', 2.6) +
        c.piece(body) +
        c.piece(flap, { round: 0.9 }) +
        c.stitch(points('-25 18, -12 22.4, 0 23.4, 12 22.4, 25 18')) +
        clasp(c, 0, 20, 8, 7) +
        [-15, 15].map((x) => ring(c, x, 1.6)).join(''),
      top: -30,
      reach: 36,
      low: 48,
    };
  },
  tote: (c) => {
    const body = symmetric(
      [
        [0, 0.6],
        [29, 0],
      ],
      points('29 0, 28 30, 25.6 54'),
      points('25.6 54, 12 55, 0 55'),
    );
    return {
      svg:
        handle(c, '-12 8, -11 -20, -5 -31, 5 -31, 11 -20, 12 8', 2.2) +
        c.piece(body) +
        c.seam(points('-28.6 4.4, 0 5, 28.6 4.4')) +
        c.stitch(points('-28.4 5.4, 0 6, 28.4 5.4')) +
        handle(c, '-12 12, -11.4 -14, -5 -25, 5 -25, 11.4 -14, 12 12', 2.4) +
        c.fold(points('-22 52, -19 36, -20 22')) +
        c.fold(points('21 52, 20 40, 22 30')),
      top: -35,
      reach: 31,
      low: 57,
    };
  },
  crossbody: (c) => {
    const body = symmetric(
      [
        [0, 0],
        [20, 0],
        [22, 2],
      ],
      points('22 2, 22.6 16, 21 28'),
      points('21 28, 18 31, 0 31.6'),
    );
    const flap = symmetric(
      [
        [0, -1],
        [22.4, -0.4],
      ],
      points('22.4 -0.4, 22 8, 19 16'),
      points('19 16, 10 19.4, 0 20'),
    );
    return {
      svg:
        handle(c, '-20 2, -24 -26, -14 -54, 6 -62, 22 -44, 24 -18, 20 2', 1.3) +
        c.piece(body) +
        c.piece(flap) +
        c.stitch(points('-19.6 13.6, -10 17.4, 0 18.2, 10 17.4, 19.6 13.6')) +
        clasp(c, 0, 14.6, 6, 7.6) +
        [-20, 20].map((x) => ring(c, x, 2)).join(''),
      top: -66,
      reach: 28,
      low: 33,
    };
  },
  clutch: (c) => {
    const body = symmetric(
      [
        [0, 0],
        [36, 0],
        [38, 2],
      ],
      points('38 2, 38 22, 37 34'),
      points('37 34, 34 37, 0 37'),
    );
    const flap: Point[] = symmetric(
      [
        [0, -1],
        [38.4, -0.6],
      ],
      [
        [38.4, -0.6],
        [37, 8],
        [0, 24],
      ],
    );
    return {
      svg:
        c.piece(body) +
        c.piece(flap) +
        c.stitch(points('-34 8, 0 22.2')) +
        c.stitch(points('34 8, 0 22.2')) +
        clasp(c, 0, 20, 5, 5),
      top: -3,
      reach: 41,
      low: 39,
    };
  },
  backpack: (c) => {
    const body = symmetric(
      [
        [0, 0],
        [18, 1],
        [26, 8],
        [29, 24],
      ],
      points('29 24, 30 46, 28 60'),
      points('28 60, 24 64, 0 64.6'),
    );
    const pocket = symmetric(
      [
        [0, 34],
        [19, 34],
        [21, 37],
      ],
      points('21 37, 21.6 50, 20 58'),
      points('20 58, 16 60, 0 60'),
    );
    return {
      svg:
        handle(c, '-7 2, -6 -9, 0 -11, 6 -9, 7 2', 2.4) +
        c.piece(contour(points('-27 12, -34 22, -34 48, -28 58'), points('-28 58, -27 12')), { round: 0.6 }) +
        c.piece(contour(points('27 12, 34 22, 34 48, 28 58'), points('28 58, 27 12')), { round: 0.6 }) +
        c.piece(body) +
        c.seam(points('-25 12, -14 6, 0 5, 14 6, 25 12'), 0.6) +
        path('M-24.6 26L-20 12Q0 6 20 12L24.6 26', {
          fill: 'none',
          stroke: c.metal,
          'stroke-width': 0.8,
          'stroke-dasharray': '.5 .3',
        }) +
        c.piece(pocket) +
        path('M-19 38H19', { stroke: c.metal, 'stroke-width': 0.8, 'stroke-dasharray': '.5 .3' }) +
        clasp(c, 0, 22, 9, 5.4),
      top: -14,
      reach: 36,
      low: 67,
    };
  },
  potli: (c) => {
    const body = symmetric(
      [
        [0, 9],
        [8, 9],
      ],
      points('8 9, 24 20, 29 36, 22 50'),
      points('22 50, 12 55, 0 56'),
    );
    const frill = symmetric(
      [
        [0, -3],
        [7, -5],
        [14, -3],
        [17, 0],
      ],
      points('17 0, 12 6, 8 10'),
      [
        [8, 10],
        [0, 11],
      ],
    );
    const cord = borderColour(c);
    const tassel = (x: number, y: number): string =>
      path(
        `M${x} ${y}v9M${x - 1.6} ${y + 9}l-.6 9M${x - 0.5} ${y + 9}l-.2 10M${x + 0.6} ${y + 9}l.3 10M${x + 1.6} ${y + 9}l.7 9`,
        { stroke: cord, 'stroke-width': 0.9, fill: 'none' },
      ) + `<circle cx="${x}" cy="${y + 8.4}" r="2" fill="${cord}" stroke="${c.line}" stroke-width=".3"/>`;
    return {
      svg:
        path('M-8 8C-20 -20 -6 -34 0 -34C6 -34 20 -20 8 8', {
          fill: 'none',
          stroke: cord,
          'stroke-width': 1.6,
        }) +
        c.piece(body) +
        [-16, -8, 0, 8, 16]
          .map((x) =>
            c.fold([
              [x * 0.4, 12],
              [x, 22],
              [x * 1.3, 34],
            ]),
          )
          .join('') +
        c.piece(frill) +
        [-9, -3, 3, 9]
          .map((x) =>
            c.fold(
              [
                [x * 0.7, 9],
                [x, 2],
                [x * 1.3, -3],
              ],
              1.6,
            ),
          )
          .join('') +
        c.piece(
          [
            [-9, 8.4],
            [9, 8.4],
            [9, 11.4],
            [-9, 11.4],
          ],
          { colour: cord, bare: true, sheen: 0.4 },
        ) +
        embroidery(c, 0, 34, 7) +
        tassel(-12, 10) +
        tassel(12.6, 11),
      top: -37,
      reach: 31,
      low: 58,
    };
  },
};

/** Undefined if the category is not a bag. */
export function drawBag(cloth: Cloth, spec: GarmentSpec): Drawing | undefined {
  const bag = Object.hasOwn(BAGS, spec.category.silhouette) ? BAGS[spec.category.silhouette] : undefined;
  if (!bag) return undefined;
  const { svg, top, reach, low } = bag(cloth);
  const asked = trimsIn(shapeWords(spec));
  const extra = [
    asked.includes('fringe')
      ? Array.from({ length: 31 }, (_, i) =>
          path(`M${((i - 15) / 15) * (reach - 8)} ${low - 4}v12`, {
            stroke: cloth.fabric.colour,
            'stroke-width': 1.2,
          }),
        ).join('')
      : '',
    asked.includes('embroidery') && spec.category.silhouette !== 'potli'
      ? embroidery(cloth, 0, low * 0.72, 7)
      : '',
  ].join('');
  return boxed(svg + extra, [-reach, top], [reach, low + (asked.includes('fringe') ? 9 : 0)]);
}
