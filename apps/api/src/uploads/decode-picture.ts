import { open } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import type { Picture, PictureType } from '#application/picture/store-picture.handler.js';
import { ApiError, invalid } from '../http/api-error.js';

/**
 * Pixels of the largest picture that is kept: about 8660 × 5773. A larger one is scaled down while it is
 * decoded.
 */
const keptPixels = 50_000_000;

/**
 * Pixels of the largest picture that is decoded: about 16000 × 12500. A small file can claim to be much larger.
 */
export const pixelLimit = 200_000_000;

/** A decoder holds many rows at a time: 200 megapixels in the form of 120 long rows took 1 GB. */
export const longestSide = 32_768;

const formats: Readonly<Record<string, PictureType>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
};

const decodeTimeoutSeconds = 30;

/** With the first picture: most processes start without one coming. */
export async function loadSharp() {
  const { default: sharp } = await import('sharp');
  // libvips may use only one thread for each picture: decoding shares the machine with the API.
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}

/**
 * Decodes a whole picture and encodes it anew: turned upright, in sRGB, its first frame, without metadata. So
 * the result is certainly a picture, even if its name or declared type was wrong.
 * @throws ApiError 415 for anything but JPEG, PNG and WebP; 422 for a picture that does not decode or is too
 *   large
 */
export async function decodePicture(path: string): Promise<Picture> {
  const claimed = await sniff(path);
  if (!claimed) {
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The file is neither JPEG, nor PNG, nor WebP, whatever its name says.',
    );
  }
  try {
    const sharp = await loadSharp();
    const source = sharp(path, {
      failOn: 'warning',
      limitInputPixels: pixelLimit,
      sequentialRead: true,
      pages: 1,
    });
    const { format, autoOrient: upright, isProgressive } = await source.metadata();
    const contentType = formats[format ?? ''];
    if (contentType !== claimed) throw undecodable();
    if (Math.max(upright.width, upright.height) > longestSide)
      throw tooLarge(`a side of more than ${longestSide} pixels`);
    const scale = Math.sqrt(keptPixels / (upright.width * upright.height));
    // A progressive picture is not stored row by row, so it must be in memory as a whole.
    if (scale < 1 && isProgressive) throw tooLarge(megapixels(keptPixels), ' or one that is not progressive');
    const kept = source.autoOrient();
    if (scale < 1) kept.resize({ width: Math.floor(upright.width * scale) });
    const { data, info } = await encoders[contentType](kept)
      .timeout({ seconds: decodeTimeoutSeconds })
      .toBuffer({ resolveWithObject: true });
    return { bytes: data, contentType, width: info.width, height: info.height };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw /pixel limit/i.test(String(error)) ? tooLarge(megapixels(pixelLimit)) : undecodable(error);
  }
}

/** Keep the type of the picture, so that transparency and sharp edges survive. */
const encoders: Readonly<Record<PictureType, (image: Sharp) => Sharp>> = {
  'image/jpeg': (image) => image.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }),
  'image/png': (image) => image.png({ compressionLevel: 6 }),
  'image/webp': (image) => image.webp({ quality: 92, alphaQuality: 100 }),
};

/** The type that the first bytes show. Other formats that sharp can read, such as SVG, never reach it. */
async function sniff(path: string): Promise<PictureType | undefined> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(12), 0, 12, 0);
    const head = buffer.subarray(0, bytesRead).toString('latin1');
    if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
    if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
    if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
    return undefined;
  } finally {
    await file.close();
  }
}

function undecodable(cause?: unknown): ApiError {
  const msg = 'is damaged or incomplete: it does not decode as a picture';
  const problem = invalid([{ loc: ['body', 'file'], msg, type: 'image' }]);
  problem.cause = cause;
  return problem;
}

const megapixels = (limit: number) => `more than ${limit / 1_000_000} megapixels`;

function tooLarge(size: string, otherwise = ''): ApiError {
  const msg = `has ${size}: send a smaller picture${otherwise}`;
  return invalid([{ loc: ['body', 'file'], msg, type: 'image' }]);
}
