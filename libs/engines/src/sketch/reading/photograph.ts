import sharp from 'sharp';
import type { Raster } from '../drawing/rasterise.js';
import { decode } from '../cutout/decode.js';
import { labPlanes, type LabPlanes } from '../cutout/lab-planes.js';

/** Long side that pictures are cut out at, and the one that shapes and colours are judged at. */
const FULL_SIDE = 1400;
const READ_SIDE = 480;

/** One photograph at the two sizes that it is worked on. */
export interface Photograph {
  readonly full: Raster;
  /** Small and a little soft: grain and JPEG noise are no edges in it. */
  readonly small: Raster;
  readonly planes: LabPlanes;
  /** Pixels of `full` per pixel of `small`. */
  readonly ratio: number;
}

/** Downscales to a long side, softening as `blur` (a Gaussian's sigma in the new pixels) says. */
export async function shrunk(raster: Raster, longSide: number, blur: number): Promise<Raster> {
  const { data, info } = await sharp(raster.data, {
    raw: { width: raster.width, height: raster.height, channels: 4 },
  })
    .resize(longSide, longSide, { fit: 'inside' })
    .blur(blur)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/**
 * Decodes a photograph. What is transparent in it stays so: a picture that brings its own cut-out is believed.
 * @throws EngineError `bad_input` when the bytes are no picture
 */
export async function openPhotograph(bytes: Buffer, name: string): Promise<Photograph> {
  const full = await decode(bytes, FULL_SIDE, name);
  const small = await shrunk(full, READ_SIDE, 0.7);
  return { full, small, planes: labPlanes(small), ratio: full.width / small.width };
}
