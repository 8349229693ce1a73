import { lightness, shade } from '../../drawing/colour.js';
import { type Point } from '../../drawing/geometry.js';
import { points } from '../../drawing/points.js';
import { mirror, type Cloth } from '../cloth.js';
import { cuffBand, type Frame } from '../frame.js';

export const both = (
  cloth: Cloth,
  shape: readonly Point[],
  options: Parameters<Cloth['piece']>[1] = {},
): string => cloth.piece(shape, options) + cloth.piece(mirror(shape), options);

/** Draws a line of the right half, then the same on the left. */
export const twice = (line: readonly Point[], draw: (line: readonly Point[]) => string): string =>
  draw(line) + draw(mirror(line));

export const bothSeams = (cloth: Cloth, line: readonly Point[], width = 0.34, opacity?: number): string =>
  twice(line, (one) => cloth.seam(one, width, opacity));

/** A line straight down. */
export const down = (x: number, from: number, to: number): Point[] => [
  [x, from],
  [x, to],
];

/** Landmarks of a small shape, placed on a garment. */
export const placed = (landmarks: string, dx: number, dy: number): Point[] =>
  points(landmarks).map(([x, y]) => [dx + x, dy + y]);

export const box = (x: number, y: number, w: number, h: number, point = 0): Point[] => [
  [x, y],
  [x + w, y],
  [x + w, y + h - point],
  ...(point > 0 ? [[x + w / 2, y + h] as const] : []),
  [x, y + h - point],
];

export const tonal = (cloth: Cloth, steps = 6): string =>
  shade(cloth.fabric.colour, lightness(cloth.fabric.colour) < 40 ? steps : -steps);

/** Woven borders are gold unless the caller named a second colour. */
export const borderColour = (cloth: Cloth): string =>
  cloth.fabric.accents[0] ?? (lightness(cloth.fabric.colour) > 70 ? '#b08a3c' : '#cfa95a');

export const ribs = (cloth: Cloth, frame: Frame, from: number, to: number): string => {
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

export const sleeves = (
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
