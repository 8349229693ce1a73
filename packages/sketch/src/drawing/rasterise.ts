import sharp from 'sharp';

/** Straight (not premultiplied) RGBA, four bytes a pixel, row by row. */
export interface Raster {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Draws an SVG document at its own size in pixels. */
export async function rasterise(svg: string): Promise<Raster> {
  const { data, info } = await sharp(Buffer.from(svg), { limitInputPixels: 50_000_000 })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}
