import sharp from 'sharp';
import type { Raster } from '../drawing/rasterise.js';
import type { SeededRandom } from '../drawing/seeded-random.js';
import { watercolour } from '../raster/paper.js';
import { drawSketch, type SceneView } from './draw-scene.js';
import type { SceneSpec } from './scene-spec.js';

/**
 * The same drawing before the colours go on: tones only, pale and in sepia, as a pencil lays a picture out. Half the size
 * is enough for it, and it is enlarged to the size of a preview.
 */
export async function drawComposition(
  spec: SceneSpec,
  view: SceneView,
  random: SeededRandom,
): Promise<Raster> {
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
  const data = await sharp(toned, { raw: { width: small.width, height: small.height, channels: 4 } })
    .resize(width, height, { fit: 'fill', kernel: 'cubic' })
    .raw()
    .toBuffer();
  const raster: Raster = { data, width, height };
  watercolour(raster, 3, 5, Math.max(width, height) / 1024);
  return raster;
}
