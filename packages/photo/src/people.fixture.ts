import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { Picture } from './raster.js';

const home = new URL('../', import.meta.url);
const samples = new URL('../../assets/samples/', home);

export const photograph = (name: string): Promise<Buffer> =>
  readFile(new URL(`photographs/${name}.jpg`, home));
export const sample = (name: string): Promise<Buffer> => readFile(new URL(`${name}.jpg`, samples));

export async function pictureOf(bytes: Buffer): Promise<Picture> {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

export const opened = async (name: string): Promise<Picture> => pictureOf(await photograph(name));
