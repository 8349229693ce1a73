import { EngineError, type EnginePicture } from '@atelier/engine';
import { encoderOf, outputTypes, type EncodedPicture, type OutputFormat } from '@atelier/engine/encode';
import { withMediaMark } from '@atelier/engine/media-mark';
import { BoundedConcurrency } from '#platform/bounded-concurrency.js';
import type { OutputFields } from '#workflows/common-fields.js';
import type { FinishedPicture } from './finished-pictures.js';

/** What an order says of its final pictures. */
export interface OrderedOutput {
  readonly format: OutputFormat;
  /** Of each file, with its mark and its credentials. */
  readonly maxBytes: number | undefined;
}

/** A picture as it is stored, and how it was encoded if its order says so. */
export interface FinishedFile extends EncodedPicture {
  readonly contentType: FinishedPicture['contentType'];
  /** A part of the picture's `meta`. */
  readonly encoding?: {
    readonly content_type: string;
    readonly size_bytes: number;
    /** Null: as the image model encoded it, or PNG. */
    readonly quality: number | null;
    readonly scale: number;
  };
}

/** @returns the bytes with all that is put into a file after it was encoded */
export type Finish = (bytes: Buffer, contentType: FinishedPicture['contentType']) => Promise<Buffer>;

/**
 * Qualities from the best to the lowest that still looks good, as each format counts them. Neighbours differ by about a
 * tenth of the bytes. With seven below the best, the search takes three more tries.
 */
const qualities: Readonly<Record<OutputFormat, readonly [number, ...number[]]>> = {
  png: [100],
  jpeg: [92, 88, 84, 80, 76, 72, 66, 60],
  webp: [90, 86, 82, 78, 74, 70, 65, 60],
  avif: [70, 66, 62, 58, 54, 50, 45, 40],
};
const mostScalings = 6;
const shortestSide = 64;

/**
 * One picture at a time: in AVIF, one of 4K takes up to 700 MB, and one of libuv's four threads for seconds. A worker may
 * have 50 pictures of remote models at the same time.
 */
const encoding = new BoundedConcurrency(1);

export function orderedOutput(request: Readonly<Record<string, unknown>>): OrderedOutput | undefined {
  // Safe cast: the body was validated before the job was queued.
  const { output_format: format, max_bytes: maxBytes } = request as OutputFields;
  return format && { format, maxBytes };
}

/** The picture as its image model has encoded it. */
export async function fileAsDrawn(
  picture: EnginePicture,
  reference: string,
  finish: Finish,
): Promise<FinishedFile> {
  const { contentType, width, height } = picture;
  return {
    bytes: await finish(await withMediaMark(picture, reference), contentType),
    contentType,
    width,
    height,
  };
}

/**
 * The picture as it was ordered. A picture that has the format already is not encoded again unless it is too large. The
 * quality is the best of {@link qualities} with which the file fits; if none does, the picture gets smaller.
 * @throws EngineError if it cannot be made small enough
 */
export async function fileAsOrdered(
  picture: EnginePicture,
  reference: string,
  { format, maxBytes = Infinity }: OrderedOutput,
  finish: Finish,
): Promise<FinishedFile> {
  const contentType = outputTypes[format];
  const told = (file: EncodedPicture, quality: number | null, scale: number): FinishedFile => {
    const size_bytes = file.bytes.length;
    return { ...file, contentType, encoding: { content_type: contentType, size_bytes, quality, scale } };
  };
  const fits = ({ bytes }: EncodedPicture) => bytes.length <= maxBytes;
  if (picture.contentType === contentType) {
    const drawn = await fileAsDrawn(picture, reference, finish);
    if (fits(drawn)) return told(drawn, null, 1);
  }
  return encoding.run(async () => {
    const encode = await encoderOf(picture, reference);
    const tried = async (quality: number, scale: number) => {
      const file = await encode({ format, quality, scale });
      const bytes = await finish(file.bytes, contentType);
      return told({ ...file, bytes }, format === 'png' ? null : quality, scale);
    };
    const [best, ...lower] = qualities[format];
    const whole = await tried(best, 1);
    if (fits(whole)) return whole;
    const found = await bestThatFits(lower, (quality) => tried(quality, 1), fits);
    return (
      found.fitting ?? smaller(found.last ?? whole, maxBytes, (scale) => tried(lower.at(-1) ?? best, scale))
    );
  });
}

/** Halves the list at each step. `last` is the result for its last entry if nothing fits. */
async function bestThatFits<File>(
  qualities: readonly number[],
  tried: (quality: number) => Promise<File>,
  fits: (file: File) => boolean,
): Promise<{ readonly fitting?: File; readonly last?: File }> {
  let fitting: File | undefined;
  let last: File | undefined;
  for (let [from, to] = [0, qualities.length]; from < to;) {
    const middle = (from + to) >> 1;
    last = await tried(qualities[middle]!);
    if (fits(last)) [fitting, to] = [last, middle];
    else from = middle + 1;
  }
  return { ...(fitting && { fitting }), ...(last && { last }) };
}

/** Bytes grow with the area; what is in a file beside its pixels does not, so a step may not be enough. */
async function smaller(
  file: FinishedFile,
  maxBytes: number,
  tried: (scale: number) => Promise<FinishedFile>,
): Promise<FinishedFile> {
  let [last, scale] = [file, 1];
  for (let step = 0; step < mostScalings && Math.min(last.width, last.height) > shortestSide; step++) {
    scale *= Math.min(0.9, 0.95 * Math.sqrt(maxBytes / last.bytes.length));
    last = await tried(Math.round(scale * 1_000) / 1_000);
    if (last.bytes.length <= maxBytes) return last;
  }
  const message = `The picture cannot have as few bytes as ${maxBytes}. Your credits were refunded: order a larger max_bytes.`;
  throw new EngineError('bad_input', message);
}
