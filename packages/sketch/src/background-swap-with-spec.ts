import type { Renderer } from '@atelier/engine';
import { drawnPlace } from './composition/setting.js';
import { isOpen } from './scenery/draw-scene.js';
import { sceneFields, sceneFromWords, type SceneWords } from './scenery/scene-spec-from.js';
import { swapBackground, type SwapOrder } from './swapping/swap.js';

export interface BackgroundSwapWithSpecOrder extends SwapOrder, SceneWords {}

/**
 * Sets the subject of `source_image` into a place that is drawn from `scene_type`, `mood` and `dominant_colors`.
 * @throws EngineError `bad_input` when nothing on the source can be told from its background
 */
export const backgroundSwapWithSpec: Renderer<BackgroundSwapWithSpecOrder> = async (request, context) => {
  const spec = sceneFromWords(request.body, request.seed);
  const about = {
    scene: sceneFields(spec),
    setting: spec.setting,
    topology: spec.topology.preset,
    ground: spec.ground.preset,
    light: spec.light.preset,
    palette: spec.palette,
  };
  return swapBackground(
    request,
    context,
    (size, { view, eye }) => drawnPlace(spec, size, view, eye),
    about,
    isOpen(spec),
  );
};
