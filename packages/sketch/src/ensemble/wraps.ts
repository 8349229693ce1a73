import type { Point } from '../drawing/geometry.js';
import { points } from '../drawing/points.js';
import { path } from '../drawing/svg-sheet.js';
import { contour, mirror, symmetric, type Cloth } from '../garments/cloth.js';
import { both, twice } from '../garments/trims/sewing.js';

/**
 * Cloths worn around neck and shoulders. Units are centimetres of the body: x counts from the middle line, y
 * from the point where the neck meets the shoulder. The chin is at −9, the tip of the shoulder at 20, the waist
 * at 48.
 */
const fringe = (c: Cloth, from: number, to: number, y: number): string =>
  Array.from({ length: Math.max(3, Math.round((to - from) / 1.3)) }, (_, i) =>
    path(`M${(from + 0.6 + i * 1.3).toFixed(1)} ${y}l.2 4.4`, {
      fill: 'none',
      stroke: c.fabric.colour,
      'stroke-width': 0.7,
    }),
  ).join('');

export function scarf(c: Cloth): string {
  const tail = (s: 1 | -1, length: number): Point[] =>
    contour(
      [
        [s * 1.5, 4],
        [s * 7.6, 3],
      ],
      [
        [s * 7.6, 3],
        [s * 9.4, 24],
        [s * 9, length],
      ],
      [
        [s * 9, length],
        [s * 2, length + 0.6],
      ],
      [
        [s * 2, length + 0.6],
        [s * 2.4, 24],
        [s * 1.5, 4],
      ],
    );
  const loop = symmetric(
    points('0 -1.6, 5 -4.4, 8 -5.6'),
    points('8 -5.6, 11.2 -1, 10.4 4.6'),
    points('10.4 4.6, 6 9.4, 0 10.4'),
  );
  return [
    fringe(c, -9, -2, 39),
    c.piece(tail(-1, 40), { turn: 4 }),
    fringe(c, 2, 9, 51),
    c.piece(tail(1, 52), { turn: -3 }),
    c.folds(points('5 50, 5.4 30, 4 12'), points('-5 38, -5.4 24, -4 12')),
    c.piece(loop, { turn: 14 }),
    c.folds(points('-9.6 -2, -3 4.6, 5 6'), points('9.4 -3, 4 2.6, -4 3.4'), points('-8.6 3, -2 8, 4 9')),
  ].join('');
}

export function neckerchief(c: Cloth): string {
  const loop = symmetric(
    points('0 1.4, 3.6 -0.6, 6 -3.4'),
    points('6 -3.4, 7 -1, 6.4 1.6'),
    points('6.4 1.6, 3.4 4.6, 0 5.6'),
  );
  const tail = (s: 1 | -1, x: number, y: number): Point[] =>
    contour(
      [
        [0, 4],
        [s * 2, 8],
        [s * x, y],
      ],
      [
        [s * x, y],
        [s * (x - 4), y + 1.6],
      ],
      [
        [s * (x - 4), y + 1.6],
        [s * 0.4, 9],
        [-s * 1, 5],
      ],
    );
  return (
    c.piece(tail(1, 6.4, 15)) +
    c.piece(tail(-1, 5, 16)) +
    c.piece(loop, { turn: 20 }) +
    c.piece(contour(points('-1.7 3, 1.7 3, 2 6, 0 7, -2 6, -1.7 3')), { round: 0.8 }) +
    c.folds(points('-5.4 0, -3 3, -1 4'), points('5.4 0, 3 3, 1 4'))
  );
}

/**
 * A dupatta, pleated over one shoulder; it falls in front and behind. `side` is the side of that shoulder on
 * the page.
 */
export function dupatta(c: Cloth, side: 1 | -1, border: string): string {
  const at = (shape: readonly Point[]): Point[] => shape.map(([x, y]): Point => [x * side, y]);
  const behind = contour(
    points('13 2, 22 6'),
    points('22 6, 29 40, 31 92'),
    points('31 92, 22 95'),
    points('22 95, 21 40, 13 2'),
  );
  const front = contour(
    points('7 1, 14 2.4, 20.6 6.4'),
    points('20.6 6.4, 21 40, 23 106'),
    points('23 106, 14 108, 5.6 106'),
    points('5.6 106, 7 60, 7 1'),
  );
  const end = contour(
    points('5.8 97, 14 99, 22.8 97'),
    points('22.8 97, 23 106'),
    points('23 106, 14 108, 5.6 106'),
    points('5.6 106, 5.8 97'),
  );
  const folds = ['9.6 104, 10.4 50, 10 3', '13.6 105, 14 54, 13.4 4', '18 104, 17.6 50, 16.8 6'].map((l) =>
    c.fold(at(points(l)), 2),
  );
  const motifs = [8, 11, 14, 17, 20].map((x) =>
    path(`M${x * side} 101l1 1.9l-1 1.9l-1 -1.9Z`, { fill: '#6d4a1c', 'fill-opacity': 0.7 }),
  );
  return (
    c.piece(at(behind)) +
    fringe(c, side === 1 ? 5.6 : -23, side === 1 ? 23 : -5.6, 107) +
    c.piece(at(front)) +
    folds.join('') +
    c.piece(at(end), { colour: border, bare: true, sheen: 0.4, round: 0.5, opacity: 1 }) +
    motifs.join('')
  );
}

export function shawl(c: Cloth): string {
  const half = contour(
    points('5 -2.4, 8 -1, 14 2, 21.4 6.6'),
    points('21.4 6.6, 27 20, 30 44, 28 66'),
    points('28 66, 16 70, 5.4 72'),
    points('5.4 72, 3.6 50, 3 26, 5 -2.4'),
  );
  const folds = ['9 68, 9 36, 8 4', '16 66, 17 36, 13 6', '23 63, 24 38, 19 10'].map((l) =>
    twice(points(l), (line) => c.fold(line, 2.6)),
  );
  return (
    fringe(c, 6, 28, 68) + fringe(c, -28, -6, 68) + c.piece(mirror(half)) + c.piece(half) + folds.join('')
  );
}

export function necktie(c: Cloth): string {
  const blade = contour(
    [
      [-1.5, 6],
      [1.5, 6],
    ],
    [
      [1.5, 6],
      [2.6, 26],
      [4, 44],
    ],
    [
      [4, 44],
      [0, 49],
      [-4, 44],
    ],
    [
      [-4, 44],
      [-2.6, 26],
      [-1.5, 6],
    ],
  );
  const knot = contour(
    [
      [-2.6, 1.6],
      [2.6, 1.6],
    ],
    [
      [2.6, 1.6],
      [2, 5],
      [1.5, 6.6],
    ],
    [
      [1.5, 6.6],
      [-1.5, 6.6],
    ],
    [
      [-1.5, 6.6],
      [-2, 5],
      [-2.6, 1.6],
    ],
  );
  return c.piece(blade, { turn: 38 }) + c.piece(knot, { turn: -30 });
}

export function bowTie(c: Cloth): string {
  const wing = contour(
    points('0.8 3.4, 4 1, 8 0.2'),
    points('8 0.2, 8.6 3.6, 8 7'),
    points('8 7, 4 6, 0.8 4.6'),
  );
  return both(c, wing) + c.piece(contour(points('-1.2 2.2, 1.2 2.2, 1.3 5.6, -1.3 5.6, -1.2 2.2')));
}

export function necklace(c: Cloth, stone: string): string {
  const arc = contour(points('-5.8 -2, -5 5, -2.6 10, 0 11.6, 2.6 10, 5 5, 5.8 -2'));
  const bead = (x: number, y: number, r: number, colour: string): string =>
    `<circle cx="${x.toFixed(2)}" cy="${y.toFixed(2)}" r="${r}" fill="${colour}" stroke="${c.line}" stroke-width=".16"/><circle cx="${(x - r * 0.3).toFixed(2)}" cy="${(y - r * 0.35).toFixed(2)}" r="${(r * 0.3).toFixed(2)}" fill="#fff" fill-opacity=".8"/>`;
  return (
    arc.map(([x, y], i) => (i % 2 ? '' : bead(x, y, 0.62, i % 6 === 4 ? stone : c.fabric.colour))).join('') +
    [-1.9, 0, 1.9]
      .map((x) => bead(x, 13 - Math.abs(x) * 0.5, x === 0 ? 1.35 : 0.85, x === 0 ? stone : c.fabric.colour))
      .join('')
  );
}
