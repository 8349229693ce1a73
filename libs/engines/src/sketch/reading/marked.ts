import sharp from 'sharp';
import type { Raster } from '../drawing/rasterise.js';
import { SvgSheet } from '../drawing/svg-sheet.js';
import { drawTestMark } from '../test-mark.js';

/** The same picture with the ribbon that pictures of the test environment carry. */
export async function marked(raster: Raster, testMark: boolean): Promise<Raster> {
  if (!testMark) return raster;
  const { width, height } = raster;
  const ribbon = new SvgSheet().document(width, height, drawTestMark(width, height));
  const data = await sharp(raster.data, { raw: { width, height, channels: 4 } })
    .composite([{ input: Buffer.from(ribbon) }])
    .raw()
    .toBuffer();
  return { data, width, height };
}
