import type { Renderer } from '@atelier/engine';
import type { SceneWords } from './scenery/scene-spec-from.js';
import { placeOfWords } from './swapping/new-place.js';
import { swapBackground, type SwapOrder } from './swapping/swap.js';

export interface BackgroundSwapWithSpecOrder extends SwapOrder, SceneWords {}

/**
 * Puts the subject of `source_image` into a place drawn from `scene_type`, `mood` and `dominant_colors`.
 * @throws EngineError `bad_input` when nothing in the source stands out from its background
 */
export const backgroundSwapWithSpec: Renderer<BackgroundSwapWithSpecOrder> = async (request, context) =>
  swapBackground(request, context, placeOfWords(request));
