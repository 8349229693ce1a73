import { lightness, shade } from '../../drawing/colour.js';
import { type Point } from '../../drawing/geometry.js';
import { mirror, type Cloth } from '../cloth.js';
import { cuffBand, type Frame } from '../frame.js';

export const both = (
  cloth: Cloth,
  shape: readonly Point[],
  options: Parameters<Cloth['piece']>[1] = {},
): string => cloth.piece(shape, options) + cloth.piece(mirror(shape), options);

export const bothSeams = (cloth: Cloth, line: readonly Point[], width = 0.34): string =>
  cloth.seam(line, width) + cloth.seam(mirror(line), width);

export const box = (x: number, y: number, w: number, h: number, point = 0): Point[] =>
  point > 0
    ? [
        [x, y],
        [x + w, y],
        [x + w, y + h - point],
        [x + w / 2, y + h],
        [x, y + h - point],
      ]
    : [
        [x, y],
        [x + w, y],
        [x + w, y + h],
        [x, y + h],
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
