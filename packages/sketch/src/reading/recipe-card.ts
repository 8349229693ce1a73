import { rasterise } from '../drawing/rasterise.js';
import { element, SvgSheet } from '../drawing/svg-sheet.js';
import { encode } from '../encode.js';
import { compose } from '../scene.js';
import type { Reading } from './reading.js';
import { recipeFacts, type Recipe } from './recipe.js';
import type { EnginePicture } from '@atelier/engine';
import { PAPER } from './recipe-pen.js';
import { corners, frameFor, silhouette, drawFrame } from './recipe-frame.js';
import { drawCameraHeight, drawLightPlan } from './recipe-plan.js';
import { drawScales, drawSwatches } from './recipe-scales.js';

const WIDTH = 820;
const HEIGHT = 1024;

/** The recipe as a drawn card: layout with the light's fall, camera, lamp plan, contrast, temperature, colours. */
export async function recipePicture(
  reading: Reading,
  recipe: Recipe,
  testMark: boolean,
): Promise<EnginePicture> {
  const frame = frameFor(reading.photograph.full);
  const below = new SvgSheet();
  const paper = element('rect', { width: WIDTH, height: HEIGHT, fill: PAPER });
  const ground = await rasterise(below.document(WIDTH, HEIGHT, paper, drawFrame(below, frame, recipe)));
  const figure = await silhouette(reading, frame, recipe.styling[0]?.colours ?? []);
  const above = new SvgSheet();
  const notes = [
    corners(frame),
    drawCameraHeight(recipe),
    drawLightPlan(above, recipe),
    drawScales(above, recipe),
    drawSwatches(recipe),
  ];
  const drawn = await rasterise(above.document(WIDTH, HEIGHT, ...notes));
  const sheet = await compose([ground, { ...figure, left: frame.x, top: frame.y }, drawn], testMark);
  return encode(sheet, {
    kind: 'photography_recipe',
    label: 'Photography recipe',
    meta: recipeFacts(recipe),
  });
}
