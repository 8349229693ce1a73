import type { EngineImage } from '@atelier/engine';
import { decode } from '../cutout/decode.js';
import { dominantColours } from '../cutout/dominant-colours.js';
import { toLab } from '../drawing/colour.js';
import type { Raster } from '../drawing/rasterise.js';
import { sceneFromWords, type SceneWords } from './scene-spec-from.js';
import type { LightPreset, SceneSpec } from './scene-spec.js';

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

/** Which of the library's lights a photograph of a place most likely had. */
function lightFrom({ mean, spread, warmth, tilt }: Tone): Exclude<LightPreset, 'custom'> {
  if (mean < 38) return 'quiet_low_key';
  if (warmth > 14 && spread > 14) return 'warm_directional_sun';
  if (Math.abs(tilt) > 5) return 'soft_side_daylight';
  return warmth < 3 ? 'overcast' : 'soft_frontal';
}

/** A scene after a picture whose spec nobody knows: its main colours and its light; the request's words decide the rest. */
export async function sceneFromPicture(
  image: EngineImage,
  asked: SceneWords,
  seed: number,
): Promise<SceneSpec> {
  const small = await decode(image.bytes, 160, image.name);
  const colours = dominantColours(small, 3).map((colour) => colour.hex);
  const spec = sceneFromWords({ ...asked, dominant_colors: colours }, seed);
  return { ...spec, light: { preset: lightFrom(toneOf(small)), text: '' } };
}
