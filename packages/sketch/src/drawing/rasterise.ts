import sharp, { type Sharp } from 'sharp';

/** Straight (not premultiplied) RGBA, four bytes a pixel, row by row. */
export interface Raster {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** A rectangle of a picture, pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The raster as an image of libvips. */
export const imageOf = ({ data, width, height }: Raster): Sharp =>
  sharp(data, { raw: { width, height, channels: 4 } });

/** The pixels of an image that has four channels. */
export async function rasterOf(image: Sharp): Promise<Raster> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Draws an SVG document at its own size in pixels. */
export const rasterise = (svg: string): Promise<Raster> =>
  rasterOf(sharp(Buffer.from(svg), { limitInputPixels: 50_000_000 }).ensureAlpha());

/** The part of a raster inside a box. */
export function cropped({ data, width }: Raster, box: Box): Raster {
  const out = new Uint8Array(box.width * box.height * 4);
  for (let y = 0; y < box.height; y++) {
    const from = ((y + box.top) * width + box.left) * 4;
    out.set(data.subarray(from, from + box.width * 4), y * box.width * 4);
  }
  return { data: out, width: box.width, height: box.height };
}
