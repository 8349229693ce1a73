import sharp, { type CreateRaw, type Sharp } from 'sharp';
import type { PictureOrder } from './brief.js';
import { EngineError } from './image-engine.js';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The ordered pixels, and the nearest format that the model draws. */
export interface OrderedFormat {
  readonly size: Size;
  /** For example `4:5`. */
  readonly ratio: string;
}

interface Delivered extends Size {
  readonly bytes: Buffer;
  readonly contentType: 'image/png' | 'image/jpeg';
}

interface Expected {
  readonly size: Size;
  readonly transparent: boolean;
  /** A visible mark over the picture, or undefined. */
  readonly mark: Buffer | undefined;
}

/**
 * Models offer few sizes. Up to this share of a side may be cut away; that is enough to turn 2:3 into 4:5 and
 * 3:2 into 16:9.
 */
const harmlessCrop = 0.2;
/** A picture may be enlarged this much before it looks soft. */
const harmlessScale = 2;

/**
 * Checks a result against its order: it must be a picture of the right format, not empty and not just an input.
 * Crops and scales it where that is harmless, and removes the vendor's metadata.
 * @throws EngineError `no_image` if it is no such picture
 */
export async function delivered(
  bytes: Buffer,
  inputs: readonly Buffer[],
  { size, transparent, mark }: Expected,
): Promise<Delivered> {
  const picture = sharp(bytes, { failOn: 'error', limitInputPixels: 64_000_000 });
  const { width, height } = await picture.metadata().catch(() => {
    throw new EngineError('no_image', 'The image model sent something that is no picture.');
  });
  if (croppedShare({ width, height }, size) > harmlessCrop + 0.001 || size.width > width * harmlessScale) {
    const sent = `${width} by ${height}`;
    throw new EngineError('no_image', `The image model sent a picture of another format: ${sent} pixels.`);
  }
  const cut = await cutTo(picture, size).catch(() => {
    throw new EngineError('no_image', 'The image model sent a picture that is broken.');
  });
  const raw = { width: size.width, height: size.height, channels: 4 as const };
  await refuseEmpty(sharp(cut, { raw }), transparent);
  for (const input of inputs)
    await refuseCopy(cut, await cutTo(sharp(input), size).catch(() => undefined), raw);
  const sheet = sharp(cut, { raw });
  if (mark) sheet.composite([{ input: mark }]);
  if (transparent) {
    return { bytes: await sheet.png().toBuffer(), contentType: 'image/png', ...size };
  }
  const opaque = sheet.flatten({ background: '#ffffff' }).jpeg({ quality: 92, chromaSubsampling: '4:4:4' });
  return { bytes: await opaque.toBuffer(), contentType: 'image/jpeg', ...size };
}

/** The part to cut from the side that is too long, as a share of that side. */
function croppedShare(found: Size, wanted: Size): number {
  const [is, ought] = [found.width / found.height, wanted.width / wanted.height];
  return 1 - Math.min(is, ought) / Math.max(is, ought);
}

async function refuseEmpty(picture: Sharp, transparent: boolean): Promise<void> {
  const { channels, isOpaque } = await picture.stats();
  const [red, green, blue, alpha] = channels;
  const flat = [red, green, blue].every((channel) => (channel?.stdev ?? 0) < 1.5);
  if (transparent && isOpaque) {
    throw new EngineError('no_image', 'The image model sent a cut-out whose ground is not transparent.');
  }
  if (transparent ? alpha?.max === 0 : flat) {
    throw new EngineError('no_image', 'The image model sent an empty picture.');
  }
}

const cutTo = (picture: Sharp, { width, height }: Size): Promise<Buffer> =>
  picture.autoOrient().resize(width, height, { fit: 'cover' }).ensureAlpha().raw().toBuffer();

const thumb = 24;

/** A result that only repeats an input is rejected, even if it is encoded differently. */
async function refuseCopy(picture: Buffer, input: Buffer | undefined, raw: CreateRaw): Promise<void> {
  // An input that cannot be read cannot be the result.
  if (!input) return;
  const small = (pixels: Buffer) =>
    sharp(pixels, { raw }).resize(thumb, thumb, { fit: 'fill' }).flatten().greyscale().raw().toBuffer();
  const [own, other] = await Promise.all([small(picture), small(input)]);
  const difference = own.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0);
  if (difference / own.length >= 0.5) return;
  throw new EngineError('no_image', 'The image model sent an input back unchanged.');
}

const usualRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9'];

/**
 * The size of an ordered picture in pixels.
 * @param first ratio of width to height of its first input
 * @param ratios the ratios that the model draws
 */
export function orderedFormat(
  { ratio: ordered, longSide }: Pick<PictureOrder, 'ratio' | 'longSide'>,
  first: number,
  ratios: readonly string[] = usualRatios,
): OrderedFormat {
  const wanted = ordered === 'input' ? first : ratioOf(ordered);
  const ratio = ratios.toSorted((a, b) => off(ratioOf(a), wanted) - off(ratioOf(b), wanted))[0] ?? '1:1';
  // An edit keeps the ratio of its input if the model draws that ratio; otherwise it gets the nearest one.
  const drawn = ordered === 'input' ? ratioOf(ratio) : wanted;
  const size = {
    width: Math.round(drawn >= 1 ? longSide : longSide * drawn),
    height: Math.round(drawn >= 1 ? longSide / drawn : longSide),
  };
  return { size, ratio };
}

/** `4:5` → 0.8 */
function ratioOf(text: string): number {
  const [width = 1, height = 1] = text.split(':').map(Number);
  return width / height;
}

const off = (one: number, other: number): number => Math.abs(Math.log(one / other));
