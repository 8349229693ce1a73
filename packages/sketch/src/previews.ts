import { drawShotPictogram } from './composition/shot-pictogram.js';
import { imageOf } from './drawing/rasterise.js';
import { SeededRandom } from './drawing/seeded-random.js';
import { modelGenerator } from './model-generator.js';
import { drawScene } from './scenery/draw-scene.js';
import { sceneSpecOf } from './scenery/scene-spec-from.js';
import { castingIn } from './casting/cast.js';

type Spec = Readonly<Record<string, unknown>>;

/** The preview of a model: the portrait that model-generator paints of the person. */
async function portrait(spec: Spec): Promise<Buffer> {
  const seed = typeof spec['seed'] === 'number' ? spec['seed'] : 0;
  const body = castingIn(spec);
  const request = { workflow: 'model-generator', body, inputs: [], seed, displayName: '', testMark: false };
  const context = {
    signal: new AbortController().signal,
    garmentKind: () => undefined,
    onStage: () => Promise.resolve(),
  };
  const [picture] = (await modelGenerator(request, context)).pictures;
  if (!picture) throw new Error('model-generator gave no picture');
  return picture.bytes;
}

/** The preview of a background: the empty place, with the floor in the picture. */
async function place(spec: Spec): Promise<Buffer> {
  const scene = sceneSpecOf(spec, 0);
  if (!scene) throw new RangeError('the spec describes no scene');
  const { raster } = await drawScene(scene, { width: 683, height: 1024 }, new SeededRandom(scene.seed));
  return imageOf(raster).png().toBuffer();
}

/**
 * Draws the preview of a preset of each kind from its spec. A shot's preview is a small figure with the spec's
 * framing and light.
 */
export const presetPreviews = {
  model: portrait,
  background: place,
  shot: drawShotPictogram,
} as const;
