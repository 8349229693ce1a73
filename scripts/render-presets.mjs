/**
 * Draws the preview of every preset with the sketch engine: `node scripts/render-presets.mjs [id …]`, after a build. Models are
 * portraits, backgrounds are empty places, shots are a small figure that is framed and lit as the recipe says.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { presetTable } from '../dist/libs/domain/src/preset/preset-table.js';
import { drawShotPictogram } from '../packages/sketch/dist/composition/shot-pictogram.js';
import { SeededRandom } from '../packages/sketch/dist/drawing/seeded-random.js';
import { drawScene } from '../packages/sketch/dist/scenery/draw-scene.js';
import { sceneSpecOf } from '../packages/sketch/dist/scenery/scene-spec-from.js';
import { SketchEngine } from '../packages/sketch/dist/sketch-engine.js';

const FOLDER = new URL('../assets/presets/', import.meta.url);
const LONG_SIDE = 512;
const MOST_BYTES = 60 * 1024;
const engine = new SketchEngine();

const render = async (workflow, body, seed) => {
  const request = { workflow, body, inputs: [], seed, displayName: '', testMark: false };
  const context = { signal: new AbortController().signal, onStage: async () => undefined };
  const { pictures } = await engine.render(request, context);
  return pictures[0].bytes;
};

/** An empty place, with the floor in the picture. */
const place = async (spec) => {
  const scene = sceneSpecOf(spec, 0);
  const { raster } = await drawScene(scene, { width: 683, height: 1024 }, new SeededRandom(scene.seed));
  const { width, height } = raster;
  return sharp(raster.data, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer();
};

const preview = ({ kind, spec }) => {
  switch (kind) {
    case 'model':
      return render('model-generator', { ...spec, generation_stage: 'portrait' }, spec.seed);
    case 'background':
      return place(spec);
    case 'shot':
      return drawShotPictogram(spec);
    default:
      throw new RangeError(`no preview for ${kind}`);
  }
};

/** The best quality that fits; grain makes some pictures large. */
const small = async (bytes) => {
  for (let quality = 86; quality >= 40; quality -= 6) {
    const jpeg = await sharp(bytes)
      .resize(LONG_SIDE, LONG_SIDE, { fit: 'inside' })
      .flatten({ background: '#f4f0e8' })
      .jpeg({ quality, mozjpeg: true })
      .toBuffer();
    if (jpeg.length <= MOST_BYTES || quality <= 40) return jpeg;
  }
};

await mkdir(FOLDER, { recursive: true });
const wanted = process.argv.slice(2);
for (const preset of presetTable) {
  if (wanted.length > 0 && !wanted.includes(preset.id) && !wanted.includes(preset.kind)) continue;
  const jpeg = await small(await preview(preset));
  await writeFile(new URL(`${preset.id}.jpg`, FOLDER), jpeg);
  process.stdout.write(`${preset.id}  ${preset.kind.padEnd(10)} ${preset.label} (${jpeg.length} bytes)\n`);
}
