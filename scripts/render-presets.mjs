// Draws the preview of every preset with the sketch engine: `npm run presets:render [-- id …]`.
import { mkdir, writeFile } from 'node:fs/promises';
import { presetPreviews } from '@atelier/sketch/previews';
import sharp from 'sharp';
import { presetTable } from '../dist/libs/domain/src/preset/preset-table.js';

const FOLDER = new URL('../assets/presets/', import.meta.url);
const LONG_SIDE = 512;
const MOST_BYTES = 60 * 1024;

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
for (const { id, kind, label, spec } of presetTable) {
  if (wanted.length > 0 && !wanted.includes(id) && !wanted.includes(kind)) continue;
  const jpeg = await small(await presetPreviews[kind](spec));
  await writeFile(new URL(`${id}.jpg`, FOLDER), jpeg);
  process.stdout.write(`${id}  ${kind.padEnd(10)} ${label} (${jpeg.length} bytes)\n`);
}
