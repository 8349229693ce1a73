import { rasterise, type Raster } from '../drawing/rasterise.js';
import type { SeededRandom } from '../drawing/seeded-random.js';
import { SvgSheet } from '../drawing/svg-sheet.js';
import { flatten } from '../scene.js';
import { drawBackdrop, type Studio } from '../studio/backdrop.js';
import { paintWash } from '../studio/wash.js';
import type { Canvas } from './subject.js';

/** The empty studio: a wall with its wash and, when a floor is given (its height in pixels), the sweep to the ground. */
export async function paintStudio(
  studio: Studio,
  random: SeededRandom,
  { width, height }: Canvas,
  floor?: number,
): Promise<Raster> {
  const sheet = new SvgSheet();
  const wall = drawBackdrop(sheet, studio, width, height, floor);
  const bottom = floor === undefined ? 0.96 : floor / height - 0.06;
  return flatten(
    [
      await rasterise(sheet.document(width, height, wall)),
      await paintWash(studio.wash, random.fork('wash'), width, height, bottom),
    ],
    width,
    height,
  );
}
