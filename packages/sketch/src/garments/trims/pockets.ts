import { path } from '../../drawing/svg-sheet.js';
import { contour, type Cloth } from '../cloth.js';
import { type Frame, type Trim } from '../frame.js';
import { both, bothSeams, box, placed } from './sewing.js';

const pocket = (cloth: Cloth, x: number, y: number, w: number, h: number, flap: number, point = 0): string =>
  cloth.piece(box(x, y, w, h, point), { round: 0.5 }) +
  cloth.stitch(box(x + 0.5, y + 0.5, w - 1, h - 1, point), cloth.light) +
  (flap > 0 ? cloth.piece(box(x - 0.3, y - 0.6, w + 0.6, flap, flap * 0.35), { round: 0.6 }) : '');

const hipPocketY = ({ waist, hem }: Frame): number => Math.min(waist + 14, hem - 17);

/** Pockets of every kind. */
export const POCKETS: Readonly<Record<string, Trim>> = {
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
    c.piece(placed('0 27.6, 8.6 26.8, 8.6 29, 0 29.8', f.half(28) * 0.4, 0), { round: 0.4 }),
  welt_pockets: (c, f) => both(c, placed('7 2, 14.6 1, 14.6 3, 7 4', 0, f.waist), { round: 0.4 }),
  flap_pockets: (c, f) => both(c, placed('8 0, 21 -0.8, 21.2 4.6, 8 5.4', 0, hipPocketY(f)), { round: 0.7 }),
  jet_pockets: (c, f) => {
    const y = hipPocketY(f);
    return (
      bothSeams(c, placed('8.6 0, 20.6 -0.8', 0, y), 0.6) + bothSeams(c, placed('8.6 1, 20.6 0.2', 0, y), 0.3)
    );
  },
  slant_pockets: (c, f) => {
    const shape = placed('13.4 0, 15.6 0.6, 19.8 13.6, 17.4 13.6', 0, Math.min(f.waist + 5, f.hem - 22));
    return both(c, shape, { round: 0.5 });
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
        placed('-9 -22, 9 -22', 0, f.hem),
        placed('9 -22, 12 -15, 15.4 -11', 0, f.hem),
        placed('15.4 -11, 15.6 -5.4, -15.6 -5.4, -15.4 -11', 0, f.hem),
        placed('-15.4 -11, -12 -15, -9 -22', 0, f.hem),
      ),
      { round: 0.6 },
    ),
};
