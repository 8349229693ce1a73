import type { Sharp } from 'sharp';
import type { ArtifactKind, EnginePicture, PictureMeta } from '@atelier/engine';
import { imageOf, type Raster } from './drawing/rasterise.js';

/** A larger PNG is replaced by a JPEG, because previews and galleries load these pictures. */
const PNG_LIMIT_BYTES = 4 * 1024 * 1024;

export interface PictureFacts {
  readonly kind: ArtifactKind;
  readonly label: string;
  readonly meta: PictureMeta;
}

/**
 * Encodes a raster as PNG, or as JPEG of quality 92 if the PNG would pass 4 MiB and nothing is transparent. A
 * `draft` only shows progress. If it is opaque, it becomes a JPEG directly, which takes a fifth of the time.
 */
export async function encode(
  raster: Raster,
  facts: PictureFacts,
  options: { keepAlpha?: boolean; enlargeTo?: { width: number; height: number }; draft?: boolean } = {},
): Promise<EnginePicture> {
  const { keepAlpha = false, enlargeTo: { width, height } = raster, draft = false } = options;
  const open = (): Sharp => {
    const drawn = imageOf(raster);
    return width === raster.width ? drawn : drawn.resize(width, height, { fit: 'fill', kernel: 'lanczos3' });
  };
  // A picture of three megapixels or more with paper grain never fits into the limit as PNG.
  if (keepAlpha || (!draft && width * height < 3_000_000)) {
    const source = keepAlpha ? open() : open().removeAlpha();
    const bytes = await source.png({ compressionLevel: 6 }).toBuffer();
    if (keepAlpha || bytes.length <= PNG_LIMIT_BYTES)
      return { ...facts, bytes, contentType: 'image/png', width, height };
  }
  const bytes = await open().removeAlpha().jpeg({ quality: 92, chromaSubsampling: '4:4:4' }).toBuffer();
  return { ...facts, bytes, contentType: 'image/jpeg', width, height };
}
