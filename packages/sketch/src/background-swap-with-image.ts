import type { Renderer } from '@atelier/engine';
import { placeOfImage, type ImagePlaceOrder } from './swapping/new-place.js';
import { swapBackground, type SwapOrder } from './swapping/swap.js';

export interface BackgroundSwapWithImageOrder extends SwapOrder, ImagePlaceOrder {}

/**
 * Puts the subject of `source_image` into the place of `background_image`.
 * @throws EngineError `bad_input` when a picture is missing or cannot be read, or no subject stands out from
 * its background
 */
export const backgroundSwapWithImage: Renderer<BackgroundSwapWithImageOrder> = async (request, context) =>
  swapBackground(request, context, placeOfImage(request));
