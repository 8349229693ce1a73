import { outline } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { group, path } from '../drawing/svg-sheet.js';
import type { Pens } from '../figure/pens.js';

/** One patch of soft light, shade or blush. */
export interface Patch {
  readonly points: readonly Point[];
  readonly fill: string;
  readonly opacity: number;
}

/**
 * Blurs patches together. Even for a small shape, a filter makes the SVG renderer work on the whole canvas, so
 * a face has three filters and not thirty.
 */
export const softly = (pens: Pens, radius: number, patches: readonly Patch[]): string =>
  group(
    { filter: pens.sheet.blur(radius) },
    ...patches.map(({ points, fill, opacity }) => path(outline(points), { fill, 'fill-opacity': opacity })),
  );
