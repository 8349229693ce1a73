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
 * Patches blurred together. Even for a small shape, a filter costs the SVG renderer a whole canvas of work, so a face has three
 * of them and not thirty.
 */
export const softly = (pens: Pens, radius: number, patches: readonly Patch[]): string =>
  group(
    { filter: pens.sheet.blur(radius) },
    ...patches.map(({ points, fill, opacity }) => path(outline(points), { fill, 'fill-opacity': opacity })),
  );
