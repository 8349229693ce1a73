import type { RenderResult } from '@atelier/engine';
import { drawnPlace } from './composition/setting.js';
import { isOpen } from './scenery/draw-scene.js';
import { sceneFields, sceneSpecFrom } from './scenery/scene-spec-from.js';
import { swapBackground } from './swapping/swap.js';
import type { Workflow } from './workflow.js';

/**
 * Sets the subject of `source_image` into a place that is drawn from `scene_type`, `mood` and `dominant_colors`.
 * @throws EngineError `bad_input` when nothing on the source can be told from its background
 */
export const backgroundSwapWithSpec: Workflow = async (request, context): Promise<RenderResult> => {
  const spec = sceneSpecFrom(request.body, request.seed);
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
