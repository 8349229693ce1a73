import type { EnginePicture, Renderer, RenderRequest } from '@atelier/engine';
import { breathe } from './abort.js';
import { canvasSize, drawnSize, previewSize, type CanvasOrder, type CanvasSize } from './canvas-size.js';
import { inkEdge } from './dressing/form.js';
import { shade } from './drawing/colour.js';
import { rasterise, type Raster } from './drawing/rasterise.js';
import { SeededRandom } from './drawing/seeded-random.js';
import { element, group, SvgSheet } from './drawing/svg-sheet.js';
import { encode } from './encode.js';
import { Cloth } from './garments/cloth.js';
import { paintGarment } from './garments/draw-garment.js';
import { fabricOf } from './garments/fabric.js';
import {
  garmentFacts,
  garmentFromBody,
  type GarmentOrder,
  type GarmentSpec,
} from './garments/garment-spec.js';
import { compose } from './scene.js';
import { MODEL } from './model.js';

export interface ComplementaryGarmentGeneratorOrder extends CanvasOrder, GarmentOrder {}

/** Plain paper in the light of a window. It is even enough that the garment can be cut out again. */
const GROUNDS = ['#f4f1ea', '#eef0ef', '#f3eee9', '#f0efe8'] as const;

function ground(size: CanvasSize, random: SeededRandom): Promise<Raster> {
  const { width, height } = size;
  const sheet = new SvgSheet();
  const paper = random.pick(GROUNDS);
  const light = sheet.radial(width * 0.34, height * 0.26, Math.max(width, height) * 0.95, [
    [0, shade(paper, 3)],
    [0.6, paper],
    [1, shade(paper, -6)],
  ]);
  return rasterise(sheet.document(width, height, element('rect', { width, height, fill: light })));
}

/** A square of the cloth, large enough to show the weave. */
async function swatch(spec: GarmentSpec, request: RenderRequest<unknown>): Promise<EnginePicture> {
  const side = 400;
  const sheet = new SvgSheet();
  const cloth = new Cloth(sheet, fabricOf(spec), new SeededRandom(request.seed).fork('cloth'));
  const piece = cloth.piece(
    [
      [2, 2],
      [34, 2],
      [34, 34],
      [2, 34],
    ],
    { round: 0.4 },
  );
  const paper = element('rect', { width: side, height: side, fill: '#f4f1ea' });
  const drawn = await rasterise(
    sheet.document(side, side, paper, group({ transform: `scale(${side / 36})` }, piece)),
  );
  return encode(await compose([drawn], request.testMark), {
    kind: 'cloth_swatch',
    label: 'The cloth',
    meta: { colour: spec.colour, material: spec.material, pattern: spec.pattern },
  });
}

async function lineDrawing(
  spec: GarmentSpec,
  request: RenderRequest<unknown>,
  size: CanvasSize,
): Promise<EnginePicture> {
  // A technical drawing shows the same details at half the size and takes a quarter of the time.
  const full = previewSize(size);
  const small = { ...full, width: Math.round(full.width / 2), height: Math.round(full.height / 2) };
  const plain: GarmentSpec = { ...spec, colours: ['#f7f5f0'], pattern: 'solid', material: 'paper' };
  const layer = await paintGarment(plain, request.seed, small.width, small.height);
  const paper = await ground(small, new SeededRandom(request.seed).fork('ground'));
  return encode(await compose([paper, layer], request.testMark), {
    kind: 'garment_pattern',
    label: 'The cut',
    meta: { category_key: spec.category.key },
  });
}

/**
 * Draws one styling item as a product picture: laid flat on plain paper, cut by its category, in the cloth that
 * the caller describes.
 * @throws EngineError `bad_input` for a category that is not in the taxonomy
 */
export const complementaryGarmentGenerator: Renderer<ComplementaryGarmentGeneratorOrder> = async (
  request,
  context,
) => {
  const { body, seed } = request;
  const spec = garmentFromBody(body, context);
  const asked = canvasSize(body, '4:5');
  const size = drawnSize(asked);
  const { category } = spec;
  await context.onStage({
    stage: 'cloth',
    message: `The cloth is chosen: ${spec.colour} ${spec.material}, ${spec.pattern}`,
    pictures: [await swatch(spec, request)],
  });
  await breathe(context.signal);
  await context.onStage({
    stage: 'cut',
    message: `The ${category.displayLabel.toLowerCase()} is cut`,
    pictures: [await lineDrawing(spec, request, size)],
  });
  await breathe(context.signal);
  const layer = await paintGarment(spec, seed, size.width, size.height);
  await breathe(context.signal);
  const edge = await inkEdge(layer, Math.max(size.width, size.height) / 1024);
  const paper = await ground(size, new SeededRandom(seed).fork('ground'));
  await breathe(context.signal);
  const sheet = await compose([paper, { ...layer, data: edge }, layer], request.testMark);
  const picture = await encode(
    sheet,
    {
      kind: 'complementary_garment',
      label: request.displayName || `${category.displayLabel}, ${spec.colour}`,
      meta: {
        garment: garmentFacts(spec),
        garment_category_public_id: category.publicId,
        category_key: category.key,
        slot: category.slot,
        primary_colour: spec.colour,
        material: spec.material,
        pattern: spec.pattern,
        seed,
        aspect_ratio: size.aspectRatio,
        resolution: size.resolution,
      },
    },
    { enlargeTo: asked },
  );
  return {
    pictures: [picture],
    message: `The ${category.displayLabel.toLowerCase()} lies flat on paper`,
    model: MODEL,
  };
};
