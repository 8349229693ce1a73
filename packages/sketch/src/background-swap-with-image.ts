import { EngineError, type Renderer } from '@atelier/engine';
import { placeFor } from './composition/setting.js';
import { isOpen } from './scenery/draw-scene.js';
import { sceneFields, sceneSpecOf } from './scenery/scene-spec-from.js';
import { swapBackground, type SwapOrder } from './swapping/swap.js';

export interface BackgroundSwapWithImageOrder extends SwapOrder {
  readonly background_image_public_id: string;
}

/**
 * Sets the subject of `source_image` into the place of `background_image`: one that describes a scene is drawn for the new
 * picture, any other picture is fitted to it.
 * @throws EngineError `bad_input` when a picture is missing or cannot be read, or no subject can be told from its background
 */
export const backgroundSwapWithImage: Renderer<BackgroundSwapWithImageOrder> = async (request, context) => {
  const background = request.inputs.find((input) => input.name === 'background_image');
  if (!background)
    throw new EngineError(
      'bad_input',
      'background_image is missing. Name the background to put the subject into.',
    );
  const spec = sceneSpecOf(background.meta, request.seed);
  const about = {
    background_image_public_id: request.body.background_image_public_id,
    ...(spec ? { scene: sceneFields(spec), topology: spec.topology.preset, light: spec.light.preset } : {}),
  };
  return swapBackground(
    request,
    context,
    (size, { view, eye }) => placeFor(background, request.seed, size, view, eye),
    about,
    spec !== undefined && isOpen(spec),
  );
};
