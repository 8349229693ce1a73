import type { EngineImage, RenderContext, Renderer, RenderRequest } from '@atelier/engine';
import { breathe } from './abort.js';
import { canvasSize, drawnSize, previewSize, type CanvasOrder, type CanvasSize } from './canvas-size.js';
import type { Raster } from './drawing/rasterise.js';
import { SeededRandom } from './drawing/seeded-random.js';
import { encode } from './encode.js';
import { drawComposition } from './scenery/composition.js';
import { drawScene, type DrawnScene } from './scenery/draw-scene.js';
import { crops } from './scenery/framing.js';
import { sceneFromPicture } from './scenery/scene-from-picture.js';
import {
  sceneFields,
  sceneFromBody,
  sceneFromWords,
  sceneSpecOf,
  type SceneAuthoring,
  type SceneWords,
} from './scenery/scene-spec-from.js';
import type { SceneSpec } from './scenery/scene-spec.js';
import { marked } from './scene.js';
import { MODEL } from './workflow.js';

/** The scene in one of two forms. */
export interface BackgroundGeneratorOrder extends CanvasOrder, SceneWords {
  readonly authoring?: SceneAuthoring;
}

/**
 * A new version of a background: the scene that it was drawn from, or what its pixels tell, under this request's seed and
 * with what this request says anew.
 */
async function versionOf(
  image: EngineImage,
  { body, seed }: RenderRequest<BackgroundGeneratorOrder>,
): Promise<SceneSpec> {
  if (body.authoring) return sceneFromBody(body, seed);
  const known = sceneSpecOf(image.meta, seed) ?? (await sceneFromPicture(image, body, seed));
  const wanted = sceneFromWords(body, seed);
  return {
    ...known,
    seed,
    ...(body.scene_type
      ? { topology: wanted.topology, ground: wanted.ground, setting: wanted.setting, anchors: wanted.anchors }
      : {}),
    ...(body.mood ? { mood: wanted.mood, light: wanted.light } : {}),
    ...(body.dominant_colors ? { palette: wanted.palette, paletteWords: wanted.paletteWords } : {}),
  };
}

/** What later jobs and people are told about a drawn scene. */
export function sceneMeta(spec: SceneSpec, scene: DrawnScene, size: CanvasSize): Record<string, unknown> {
  return {
    scene: sceneFields(spec),
    setting: spec.setting,
    topology: spec.topology.preset,
    ground: spec.ground.preset,
    light: spec.light.preset,
    palette: spec.palette,
    anchors: scene.drawn,
    unknown_anchors: spec.anchors.filter((anchor) => anchor.name === 'object').map((anchor) => anchor.words),
    supported_crops: spec.crops,
    crops: crops(spec, scene),
    floor_line: scene.floorLine,
    subject_height: scene.subjectHeight,
    subject_x: scene.subjectX,
    seed: spec.seed,
    aspect_ratio: size.aspectRatio,
    resolution: size.resolution,
  };
}

async function compositionStage(
  spec: SceneSpec,
  size: CanvasSize,
  request: RenderRequest<unknown>,
  context: RenderContext,
): Promise<void> {
  const { width, height } = previewSize(size);
  const preview: Raster = await drawComposition(spec, { width, height }, new SeededRandom(spec.seed));
  const picture = await encode(await marked(preview, request.testMark), {
    kind: 'composition',
    label: 'Composition sketch',
    meta: { seed: spec.seed, topology: spec.topology.preset },
  });
  await context.onStage({
    stage: 'composition',
    message: 'The place is laid out in pencil',
    pictures: [picture],
  });
}

/**
 * Draws a place for subjects to stand in, from `authoring` or from the flat `scene_type`, `mood` and `dominant_colors`.
 * @throws EngineError `bad_input` when `background_image` cannot be read
 */
export const backgroundGenerator: Renderer<BackgroundGeneratorOrder> = async (request, context) => {
  const given = request.inputs.find((input) => input.name === 'background_image');
  const spec = given ? await versionOf(given, request) : sceneFromBody(request.body, request.seed);
  await breathe(context.signal);
  const asked = canvasSize(request.body, '3:4');
  const size = drawnSize(asked);
  await compositionStage(spec, size, request, context);
  await breathe(context.signal);
  const scene = await drawScene(spec, size, new SeededRandom(spec.seed));
  await breathe(context.signal);
  const facts = {
    kind: 'background',
    label: request.displayName || spec.displayName || 'Background',
    meta: sceneMeta(spec, scene, size),
  };
  const picture = await encode(await marked(scene.raster, request.testMark), facts, { enlargeTo: asked });
  return {
    pictures: [picture],
    message: given ? 'A new version of the background is painted' : 'The background is painted',
    model: MODEL,
  };
};
