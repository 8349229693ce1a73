import { EngineError, type EngineImage, type RenderContext, type RenderRequest } from '@atelier/engine';
import { breathe } from '../abort.js';
import type { Casting } from '../casting/cast.js';
import { canvasSize, drawnSize, type AspectRatio, type CanvasOrder } from '../canvas-size.js';
import { inputOf, report, type Easel } from './draw.js';
import { garmentSide, pictureOfCutOut, readGarment, type Garment } from './garment.js';
import { dressPerson, type Outfit } from './outfit.js';
import { personFrom } from './person.js';
import type { View } from './view.js';
import { placeFor, studio, type Place } from './setting.js';

/** The body of product-to-model, direct and phased. */
export interface ProductToModelOrder extends CanvasOrder {
  /** The text may name the kind of garment. */
  readonly display_name?: string;
}

export function easelFor(
  request: RenderRequest<CanvasOrder>,
  context: RenderContext,
  fallback: AspectRatio,
): Easel {
  const asked = canvasSize(request.body, fallback);
  return { request, context, asked, size: drawnSize(asked) };
}

/**
 * Cuts the product out of `product_image` and shows the cut-out as the first stage.
 * @param words the caller's name for it
 */
export async function takeProduct(easel: Easel, words?: string): Promise<Garment> {
  const { request, context, size } = easel;
  const product = inputOf(request, 'product_image');
  if (!product)
    throw new EngineError('bad_input', 'product_image is missing. Send one photograph of the garment.');
  const garment = await readGarment(product, garmentSide(size.resolution), words);
  await breathe(context.signal);
  const message = `The garment is cut out: ${garment.garmentClass}`;
  await report(easel, 'garment_cutout', message, await pictureOfCutOut(garment));
  return garment;
}

/** Takes the wearer from `model_image`, or casts one, and poses the wearer for the garment. */
export async function poseWearer(easel: Easel, garment: Garment): Promise<Outfit> {
  const { request } = easel;
  // Most dresses and skirts are cut for women.
  const usual: Casting = ['dress', 'skirt'].includes(garment.garmentClass) ? { gender: 'FEMALE' } : {};
  const person = personFrom(inputOf(request, 'model_image'), usual, request.seed);
  return dressPerson(person, [garment]);
}

/** The place on `background_image`, or the studio. A described scene may put the figure beside its middle. */
export async function productPlace(easel: Easel, view: View): Promise<Place> {
  const given: EngineImage | undefined = inputOf(easel.request, 'background_image');
  const { seed } = easel.request;
  return given
    ? placeFor(given, seed, easel.size, view)
    : { setting: await studio(seed, easel.size, view.floor), view };
}
