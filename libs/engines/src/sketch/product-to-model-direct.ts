import sharp from 'sharp';
import {
  EngineError,
  type EngineImage,
  type RenderContext,
  type RenderRequest,
  type RenderResult,
} from '../image-engine.js';
import { breathe } from './abort.js';
import { canvasSize, drawnSize, previewSize, type CanvasSize } from './canvas-size.js';
import { cast } from './casting/cast.js';
import type { FigureSpec } from './casting/figure-spec.js';
import { takeAfter } from './casting/portrait-palette.js';
import { classFromWords, classify, type GarmentClass } from './cutout/classify.js';
import { cutOut, type CutOut } from './cutout/cut-out.js';
import { decode } from './cutout/decode.js';
import { dominantColours } from './cutout/dominant-colours.js';
import { Silhouette } from './cutout/silhouette.js';
import { dress, type Framing } from './dressing/dress.js';
import type { Fit } from './dressing/fit.js';
import { fitGarment } from './dressing/fit-garment.js';
import { shade } from './drawing/colour.js';
import { rasterise, type Raster } from './drawing/rasterise.js';
import { SvgSheet } from './drawing/svg-sheet.js';
import { encode } from './encode.js';
import { drawArm, drawNeck } from './figure/body.js';
import { drawFigure, flat, type FigureLayers } from './figure/figure.js';
import type { Pens } from './figure/pens.js';
import { buildRig, SIDES, type Rig } from './figure/rig.js';
import { compose, figureLayer, frame, resized, scaled, soles } from './scene.js';
import { chooseStudio, drawBackdrop, drawFloorShadow } from './studio/backdrop.js';
import { paintWash } from './studio/wash.js';
import { MODEL, type Workflow } from './workflow.js';

const inputOf = (request: RenderRequest, name: string): EngineImage | undefined =>
  request.inputs.find((input) => input.name === name);

interface Worn {
  readonly spec: FigureSpec;
  readonly rig: Rig;
  readonly fit: Fit;
  readonly framing: Framing;
  /** Cropped above the feet: no floor is seen. */
  readonly cropped: boolean;
}

/** The figure is posed for the garment: the arms go where the sleeves lie. */
function pose(shape: Silhouette, garmentClass: GarmentClass, spec: FigureSpec, size: CanvasSize): Worn {
  const first = buildRig(spec);
  const tentative = fitGarment(shape, first, garmentClass);
  const rig = tentative.arms ? buildRig(spec, tentative.arms) : first;
  const fit = fitGarment(shape, rig, garmentClass);
  const cropped = (garmentClass === 'top' || garmentClass === 'outerwear') && fit.hem < 560;
  const bottom = Math.max(600, fit.hem + 120);
  const framing = cropped
    ? frame(size.width, size.height, 0, bottom, 0.95, 0.075)
    : frame(size.width, size.height, 0, 900, 0.875, 0.068);
  return { spec, rig, fit, framing, cropped };
}

async function backdrop(worn: Worn, size: CanvasSize, given: EngineImage | undefined): Promise<Raster> {
  const { width, height } = size;
  const { framing, rig, spec } = worn;
  const sheet = new SvgSheet();
  const studio = chooseStudio(spec.random.fork('studio'));
  const feet = soles(
    framing,
    [rig.legs.left, rig.legs.right].map((leg) => [leg.point(1, 0)[0], leg.point(1, 0)[1] + 70] as const),
  );
  const shadow = worn.cropped ? '' : drawFloorShadow(sheet, studio, feet, framing.scale);
  if (!given) {
    const floor = worn.cropped ? undefined : framing.y + 862 * framing.scale;
    const wall = new SvgSheet();
    const wash = await paintWash(
      studio.wash,
      spec.random.fork('wash'),
      width,
      height,
      floor ? floor / height - 0.06 : 0.96,
    );
    return compose(
      [
        await rasterise(wall.document(width, height, drawBackdrop(wall, studio, width, height, floor))),
        wash,
        await rasterise(sheet.document(width, height, shadow)),
      ],
      false,
    );
  }
  // Reading it first gives the caller a clear error in place of one from deep inside the compositing.
  const picture = await decode(given.bytes, Math.max(width, height), given.name);
  const data = await sharp(picture.data, {
    raw: { width: picture.width, height: picture.height, channels: 4 },
  })
    .flatten({ background: '#efe9df' })
    .resize(width, height, { fit: 'cover', position: 'centre' })
    .ensureAlpha()
    .composite([{ input: Buffer.from(sheet.document(width, height, shadow)) }])
    .raw()
    .toBuffer();
  return { data, width, height };
}

/** What of the figure lies in front of the garment. */
function inFront(pens: Pens, { rig, fit }: Worn, layers: FigureLayers): string {
  const arms =
    fit.armsInFront === 'none'
      ? ''
      : SIDES.map(([name]) => drawArm(pens, rig, name, fit.armsInFront === 'all' ? 0 : 0.56)).join('');
  const neck = fit.collar === undefined ? '' : drawNeck(pens, rig, fit.collar);
  return arms + neck + layers.head.over + layers.head.face + layers.head.front;
}

async function wear(
  worn: Worn,
  garment: CutOut,
  size: CanvasSize,
  context: RenderContext,
): Promise<Raster[]> {
  const { spec, rig, fit, framing } = worn;
  const { width, height } = size;
  const lining = fit.lining
    ? { lining: shade(dominantColours(garment.raster, 1)[0]?.hex ?? '#555555', -6) }
    : {};
  const options = {
    legwear: fit.legwear,
    vest: fit.vest,
    arms: fit.armsInFront !== 'all',
    legs: true,
    ...lining,
  };
  const under = await figureLayer(spec, framing, width, height, (pens) => {
    const layers = drawFigure(pens, rig, options);
    return layers.head.back + layers.arms + layers.body;
  });
  await breathe(context.signal);
  const cloth = await dress(garment, fit, framing, width, height);
  await breathe(context.signal);
  const over = await figureLayer(spec, framing, width, height, (pens) =>
    inFront(pens, worn, drawFigure(pens, rig, options)),
  );
  await breathe(context.signal);
  return [under, cloth, over];
}

async function figureStage(
  worn: Worn,
  behind: Raster,
  size: CanvasSize,
  request: RenderRequest,
  context: RenderContext,
): Promise<void> {
  const { spec, rig, framing } = worn;
  const small = previewSize(size);
  const view = scaled(framing, small.width / size.width);
  const wall = await resized(behind, small.width, small.height);
  const layer = await figureLayer(spec, view, small.width, small.height, (pens) =>
    flat(drawFigure(pens, rig, { legwear: 0.9, vest: true, arms: true, legs: true })),
  );
  const picture = await encode(await compose([wall, layer], request.testMark), {
    kind: 'figure',
    label: 'The figure that will wear it',
    meta: { seed: request.seed, gender: spec.gender, body_type: spec.bodyType },
  });
  await context.onStage({
    stage: 'figure',
    message: 'The figure is posed for the garment',
    pictures: [picture],
  });
}

/**
 * Cuts the garment out of `product_image` and draws a figure that wears it. `model_image` lends its skin and hair colours,
 * `background_image` stands in for the studio.
 * @throws EngineError `bad_input` when a picture cannot be read or no garment stands out from its background
 */
export const productToModelDirect: Workflow = async (request, context): Promise<RenderResult> => {
  const { parameters, seed } = request;
  const product = inputOf(request, 'product_image');
  if (!product)
    throw new EngineError('bad_input', 'product_image is missing. Send one photograph of the garment.');
  const asked = canvasSize(parameters, '4:5');
  const size = drawnSize(asked);
  const garment = await cutOut(product.bytes, size.resolution === '1K' ? 1400 : 2200, 'product_image');
  await breathe(context.signal);
  const shape = new Silhouette(garment.mask);
  const garmentClass = classFromWords(parameters) ?? classify(shape, garment.raster);
  const colours = dominantColours(garment.raster);
  const about = {
    garment_class: garmentClass,
    dominant_colours: colours,
    coverage: Math.round(garment.coverage * 1000) / 1000,
  };
  const cutting = await encode(
    garment.raster,
    { kind: 'garment_cutout', label: 'The garment, cut out', meta: about },
    { keepAlpha: true },
  );
  await context.onStage({
    stage: 'garment_cutout',
    message: `The garment is cut out: ${garmentClass}`,
    pictures: [cutting],
  });
  await breathe(context.signal);
  const modelImage = inputOf(request, 'model_image');
  // Most dresses and skirts are cut for women; a caller who casts the figure decides for himself.
  const usual = garmentClass === 'dress' || garmentClass === 'skirt' ? { gender: 'FEMALE' } : {};
  const drawn = cast({ body_type: 'balanced', ...usual, ...parameters }, seed);
  const spec = modelImage ? await takeAfter(drawn, modelImage) : drawn;
  const worn = pose(shape, garmentClass, spec, size);
  const behind = await backdrop(worn, size, inputOf(request, 'background_image'));
  await breathe(context.signal);
  await figureStage(worn, behind, size, request, context);
  await breathe(context.signal);
  const layers = await wear(worn, garment, size, context);
  const facts = {
    kind: 'on_model_render',
    label: request.displayName || 'On model',
    meta: {
      ...about,
      seed,
      gender: spec.gender,
      ethnicity: spec.ethnicity,
      body_type: spec.bodyType,
      age_range: spec.ageRange,
      skin_tone: spec.skin,
      hair: { colour: spec.hair.colour, texture: spec.hair.texture, style: spec.hair.style },
      aspect_ratio: size.aspectRatio,
      resolution: size.resolution,
    },
  };
  const sheet = await compose([behind, ...layers], request.testMark);
  const picture = await encode(sheet, facts, { enlargeTo: asked });
  return { pictures: [picture], message: `The ${garmentClass} is worn`, model: MODEL };
};
