import { shade } from '../drawing/colour.js';
import type { Point } from '../drawing/geometry.js';
import { path } from '../drawing/svg-sheet.js';
import type { HeadFrame } from '../face/head-frame.js';
import type { Pens } from '../figure/pens.js';
import type { HairPainter } from './hair-painter.js';
import { capShape, drawCap, type Sweep } from './strands.js';
import { skullCap } from './tied.js';
import { points } from '../drawing/points.js';

/** Clipped sides: a veil of hair whose edge dissolves into the skin. */
const sides = (pens: Pens, frame: HeadFrame, colour: string, opacity: number): string =>
  path(capShape(skullCap(frame, 3, 34.8)), {
    fill: shade(colour, 1),
    'fill-opacity': opacity,
    filter: pens.sheet.blur(0.6),
  });

function short(
  hairline: readonly Point[],
  crown: readonly Point[],
  count: number,
  sweep: (side: -1 | 1) => Sweep,
  opacity = 0.74,
): HairPainter {
  return (pens, frame, spec) => {
    const { colour } = spec.hair;
    const part = spec.random.fork('part').chance(0.5) ? 1 : -1;
    const flip = (points: readonly Point[]): Point[] =>
      part === 1 ? [...points] : points.map(([x, y]): Point => [-x, y]).reverse();
    const cap = { hairline: frame.all(flip(hairline)), crown: frame.freely(flip(crown)) };
    return {
      back: '',
      front:
        sides(pens, frame, colour, opacity) +
        drawCap(pens, cap, colour, count, sweep(part), { width: [0.7, 2.1] }),
    };
  };
}

export const drawCrop: HairPainter = short(
  points('-32.5 34, -27 22, -15 19, -3 21, 8 18.5, 20 20, 28 24, 32.5 35'),
  points('-34.8 34, -35.4 12, -25 -4, -9 -9.5, 8 -9.5, 25 -5, 35.4 11, 34.8 34'),
  330,
  () => (r) => {
    const [s, v] = [r.between(0.02, 0.98), r.between(0.08, 1)];
    return [s, v, s + (s - 0.5) * 0.05 + r.wobble(0.05), v - r.between(0.14, 0.34), 1.4];
  },
);

export const drawSidePart: HairPainter = short(
  points('-33 36, -29 24, -21 17.5, -8 17, 6 15.5, 19 18.5, 29 25, 33 37'),
  points('-35 36, -36 12, -26 -5, -9 -11, 10 -10, 27 -3.5, 36 11, 35 36'),
  300,
  (part) => (r) => {
    const root = part === 1 ? r.between(0.16, 0.34) : r.between(0.66, 0.84);
    const s1 = r.between(0.02, 0.98);
    const v = r.between(0.02, 0.98);
    return [root, Math.min(1, v + 0.2), s1, v, 3.2];
  },
);

export const drawSweptBack: HairPainter = short(
  points('-33 38, -30 26, -20 17.5, -8 14.5, 0 14, 8 14.5, 20 17.5, 30 26, 33 38'),
  points('-35 38, -36 14, -27 -5, -12 -11.5, 0 -12.5, 12 -11.5, 27 -5, 36 14, 35 38'),
  300,
  () => (r) => {
    const s = r.between(0.01, 0.99);
    const v = r.between(0, 0.45);
    return [s, v, s + (0.5 - s) * 0.12 + r.wobble(0.02), Math.min(1, v + r.between(0.45, 0.8)), 1.5];
  },
);

export const drawPixie: HairPainter = short(
  points('-34 50, -32 36, -26 27, -14 24, -2 22, 10 17, 22 19, 31 32, 33 50'),
  points('-37.5 48, -39 20, -29 -5, -12 -12, 6 -12, 26 -6, 38 16, 37.5 48'),
  340,
  (part) => (r) => {
    const root = part === 1 ? r.between(0.6, 0.8) : r.between(0.2, 0.4);
    const s1 = r.between(0.02, 0.98);
    const v = r.between(-0.02, 0.9);
    return [root, Math.min(1, v + 0.35), s1, v, 2];
  },
  0.95,
);
