import type { FigureSpec } from '../casting/figure-spec.js';
import { blend, lightness, shade } from '../drawing/colour.js';
import type { Point } from '../drawing/geometry.js';
import { ink, type InkOptions } from '../drawing/ink.js';
import type { SeededRandom } from '../drawing/seeded-random.js';
import { path, type SvgSheet } from '../drawing/svg-sheet.js';

/** The colours that one figure is painted with. */
export interface Palette {
  readonly skin: string;
  readonly skinLight: string;
  readonly skinShade: string;
  readonly skinDeep: string;
  readonly blush: string;
  readonly lip: string;
  readonly line: string;
}

export function paletteOf(spec: FigureSpec): Palette {
  const { skin } = spec;
  const dark = lightness(skin) < 52;
  return {
    skin,
    skinLight: blend(shade(skin, dark ? 10 : 7), '#fff4e6', dark ? 0.08 : 0.25),
    skinShade: blend(shade(skin, dark ? -11 : -13, 1.18), '#7a4058', 0.1),
    skinDeep: blend(shade(skin, dark ? -17 : -27, 1.2), '#5b2f48', 0.18),
    blush: blend(skin, dark ? '#a4413c' : '#e0616a', 0.42),
    lip: blend(shade(skin, -10, 1.1), spec.gender === 'MALE' ? '#9c5a50' : '#b3263c', dark ? 0.42 : 0.46),
    line: blend('#2b1d1f', shade(skin, -45), dark ? 0.12 : 0.22),
  };
}

/** The tools with which every part of a figure is drawn. */
export interface Pens {
  readonly sheet: SvgSheet;
  readonly palette: Palette;
  readonly random: SeededRandom;
  /** The thinnest line that is still visible at the drawing's scale, in figure units. */
  readonly fine: number;
}

/** An ink contour in the figure's line colour. */
export const stroke = (
  pens: Pens,
  points: readonly Point[],
  width: number,
  options: Partial<InkOptions> & { colour?: string; opacity?: number } = {},
): string => {
  const { colour, opacity, ...rest } = options;
  return path(ink(points, { hand: pens.random, ...rest, width: Math.max(width, pens.fine) }), {
    fill: colour ?? pens.palette.line,
    'fill-opacity': opacity,
  });
};
