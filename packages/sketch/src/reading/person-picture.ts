import type { EnginePicture, PictureMeta } from '@atelier/engine';
import { personFacts, type Person } from '../composition/person.js';
import { rasterise } from '../drawing/rasterise.js';
import { SvgSheet } from '../drawing/svg-sheet.js';
import { encode } from '../encode.js';
import { drawFigure } from '../figure/figure.js';
import { buildRig } from '../figure/rig.js';
import { compose, figureLayer, frame, soles } from '../scene.js';
import { chooseStudio, drawBackdrop, drawFloorShadow } from '../studio/backdrop.js';

const WIDTH = 683;
const HEIGHT = 1024;

/**
 * The person of a picture that this engine drew, as a catalogue model in base wear. A cut-out would wear the
 * product and have only one pose; a drawn person can be dressed and posed.
 */
export async function personPicture(person: Person, testMark: boolean): Promise<EnginePicture> {
  const { spec } = person;
  const rig = buildRig(spec);
  const framing = frame(WIDTH, HEIGHT, 0, 900, 0.875, 0.068);
  const studio = chooseStudio(spec.random.fork('studio'));
  const floor = framing.y + 862 * framing.scale;
  const wall = new SvgSheet();
  const ground = drawBackdrop(wall, studio, WIDTH, HEIGHT, floor);
  const shadow = drawFloorShadow(wall, studio, soles(framing, rig), framing.scale);
  const figure = await figureLayer(spec, framing, WIDTH, HEIGHT, (pens) => drawFigure(pens, rig, true));
  const sheet = await compose(
    [await rasterise(wall.document(WIDTH, HEIGHT, ground, shadow)), figure],
    testMark,
  );
  const meta: PictureMeta = {
    ...personFacts(person),
    rendition: 'drawn_again',
    source: 'known',
  };
  return encode(sheet, { kind: 'person', label: 'The model', meta });
}
