import sharp from 'sharp';
import { EngineError } from './image-engine.js';

const MAX_INPUT_PIXELS = 50_000_000;

/** RGBA in sRGB, row by row, straight alpha. */
export interface DecodedPicture {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/**
 * Decodes a caller's picture upright, scaled down so that its long side is at most `longSide` pixels.
 * @throws EngineError `bad_input` when the bytes are no picture or have too many pixels
 */
export async function decode(bytes: Buffer, longSide: number, name: string): Promise<DecodedPicture> {
  try {
    const { data, info } = await sharp(bytes, { limitInputPixels: MAX_INPUT_PIXELS })
      .rotate()
      .resize(longSide, longSide, { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height };
  } catch {
    throw new EngineError(
      'bad_input',
      `${name} could not be read as a picture. Send a complete JPEG, PNG or WebP of at most 50 megapixels.`,
    );
  }
}
