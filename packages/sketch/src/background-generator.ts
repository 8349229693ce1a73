import type { EngineImage, PictureMeta, RenderContext, Renderer, RenderRequest } from '@atelier/engine';
import { breathe } from './abort.js';
import { canvasSize, drawnSize, previewSize, type CanvasOrder, type CanvasSize } from './canvas-size.js';
import { imageOf, rasterOf, type Box, type Raster } from './drawing/rasterise.js';
import { SeededRandom } from './drawing/seeded-random.js';
import { encode, type PictureFacts } from './encode.js';
import { drawScene, type DrawnScene, drawSketch, type SceneView } from './scenery/draw-scene.js';
import {
  sceneFacts,
  sceneFromBody,
  sceneFromWords,
  sceneSpecOf,
  type SceneAuthoring,
  type SceneWords,
} from './scenery/scene-spec-from.js';
import type { SceneSpec, LightPreset } from './scenery/scene-spec.js';
import { marked } from './scene.js';
import { MODEL } from './model.js';
import { FRAMINGS } from './scenery/camera.js';
import { watercolour } from './raster/paper.js';
import { decode } from '@atelier/engine/decode';
import { dominantColours } from './cutout/dominant-colours.js';
import { toLab } from './drawing/colour.js';

interface Tone {
  readonly mean: number;
  readonly spread: number;
  /** b* of the mean: above 0 yellow, below 0 blue. */
  readonly warmth: number;
  /** Difference in L* between the left and the right half. */
  readonly tilt: number;
}

function toneOf({ data, width, height }: Raster): Tone {
  let [sum, squares, b, left, right] = [0, 0, 0, 0, 0];
  for (let i = 0; i < width * height; i++) {
    const lab = toLab([data[i * 4] ?? 0, data[i * 4 + 1] ?? 0, data[i * 4 + 2] ?? 0]);
    sum += lab[0];
    squares += lab[0] ** 2;
    b += lab[2];
    if (i % width < width / 2) left += lab[0];
    else right += lab[0];
  }
  const count = width * height;
  const mean = sum / count;
  return {
    mean,
    spread: Math.sqrt(Math.max(0, squares / count - mean ** 2)),
    warmth: b / count,
    tilt: (2 * (left - right)) / count,
  };
}

/** The light of the library that best matches the light in a photograph of a place. */
function lightFrom({ mean, spread, warmth, tilt }: Tone): Exclude<LightPreset, 'custom'> {
  if (mean < 38) return 'quiet_low_key';
  if (warmth > 14 && spread > 14) return 'warm_directional_sun';
  if (Math.abs(tilt) > 5) return 'soft_side_daylight';
  return warmth < 3 ? 'overcast' : 'soft_frontal';
}

/**
 * A scene from a picture without a spec. The picture gives its main colours and its light; the request's words
 * decide the rest.
 */
async function sceneFromPicture(image: EngineImage, asked: SceneWords, seed: number): Promise<SceneSpec> {
  const small = await decode(image.bytes, 160, image.name);
  const colours = dominantColours(small, 3).map((colour) => colour.hex);
  const spec = sceneFromWords({ ...asked, dominant_colors: colours }, seed);
  return { ...spec, light: { preset: lightFrom(toneOf(small)), text: '' } };
}

/**
 * The same drawing before it gets its colours: only pale sepia tones, like a pencil sketch. It is drawn at half
 * the size and enlarged to a preview.
 */
async function drawComposition(spec: SceneSpec, view: SceneView, random: SeededRandom): Promise<Raster> {
  const { width, height } = view;
  const small = await drawSketch(
    spec,
    { ...view, width: Math.round(width / 2), height: Math.round(height / 2) },
    random,
  );
  const toned = Buffer.alloc(small.data.length);
  for (let i = 0; i < toned.length; i += 4) {
    const luma =
      0.3 * (small.data[i] ?? 0) + 0.59 * (small.data[i + 1] ?? 0) + 0.11 * (small.data[i + 2] ?? 0);
    const value = 130 + luma * 0.45;
    toned[i] = value;
    toned[i + 1] = value * 0.965;
    toned[i + 2] = value * 0.9;
    toned[i + 3] = 255;
  }
  const image = imageOf({ ...small, data: toned }).resize(width, height, { fit: 'fill', kernel: 'cubic' });
  const raster = await rasterOf(image);
  watercolour(raster, 3, 5, Math.max(width, height) / 1024);
  return raster;
}

const rounded = (value: number): number => Math.round(value * 10000) / 10000;

/**
 * Where each supported crop lies in a drawn scene, in shares of the picture. The rectangle has the picture's format and frames a standing
 * person as the crop does. A crop is never wider than the picture.
 */
function crops(spec: SceneSpec, scene: DrawnScene): Record<string, Box> {
  return Object.fromEntries(
    spec.crops.map((crop) => {
      const wanted = FRAMINGS[crop];
      const share = Math.min(1, scene.subjectHeight / wanted.subject);
      const head = scene.floorLine - scene.subjectHeight;
      const top = Math.max(0, Math.min(1 - share, head - (wanted.floorLine - wanted.subject) * share));
      const left = Math.max(0, Math.min(1 - share, scene.subjectX - share / 2));
      return [
        crop,
        { left: rounded(left), top: rounded(top), width: rounded(share), height: rounded(share) },
      ];
    }),
  );
}

/** The scene in one of two forms. */
export interface BackgroundGeneratorOrder extends CanvasOrder, SceneWords {
  readonly authoring?: SceneAuthoring;
}

/**
 * A new version of a background. It starts from the background's own scene, or from a scene read from its
 * pixels, and takes this request's seed and changes.
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

/** The facts about a drawn scene for later jobs and for people. */
function sceneMeta(spec: SceneSpec, scene: DrawnScene, size: CanvasSize): PictureMeta {
  return {
    ...sceneFacts(spec),
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
 * Draws a place for subjects to stand in, from `authoring` or from the flat `scene_type`, `mood` and
 * `dominant_colors`.
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
  const facts: PictureFacts = {
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
