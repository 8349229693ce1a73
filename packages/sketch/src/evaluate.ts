import sharp from 'sharp';
import type { EnginePicture } from '@atelier/engine';

/** Measures are taken at this size, so that a picture scores the same at 1K and at 4K. */
const SIDE = 768;

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

export interface Evaluation {
  /** Variance of the Laplacian of luma (8-bit steps squared): below about 20 a picture looks soft. */
  readonly sharpness: number;
  /** Mean luma, 0–1. */
  readonly exposure: number;
  /** Root-mean-square contrast: standard deviation of luma, 0–1. */
  readonly contrast: number;
  /**
   * The measure M3 of Hasler and Süsstrunk (2003): 0 is grey, 33 moderately, 59 quite, and 109 extremely
   * colourful.
   */
  readonly colourfulness: number;
}

const spread = (sum: number, squares: number, count: number): number =>
  Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));

/** Simple, well-known measures of the visible picture, with transparent parts on white. */
export async function evaluate(bytes: Buffer): Promise<Evaluation> {
  const { data, info } = await sharp(bytes)
    .flatten({ background: '#ffffff' })
    .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const size = width * height;
  const luma = new Float32Array(size);
  let [sum, squares, rg, rg2, yb, yb2] = [0, 0, 0, 0, 0, 0];
  for (let i = 0, p = 0; i < size; i++, p += channels) {
    const [r, g, b] = [data[p] ?? 0, data[p + 1] ?? 0, data[p + 2] ?? 0];
    const y = 0.299 * r + 0.587 * g + 0.114 * b;
    luma[i] = y;
    sum += y;
    squares += y * y;
    rg += r - g;
    rg2 += (r - g) ** 2;
    yb += (r + g) / 2 - b;
    yb2 += ((r + g) / 2 - b) ** 2;
  }
  let [edge, edges, count] = [0, 0, 0];
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const i = y * width + x;
      const laplacian =
        (luma[i - 1] ?? 0) +
        (luma[i + 1] ?? 0) +
        (luma[i - width] ?? 0) +
        (luma[i + width] ?? 0) -
        4 * (luma[i] ?? 0);
      edge += laplacian;
      edges += laplacian * laplacian;
      count++;
    }
  }
  const hue =
    Math.hypot(spread(rg, rg2, size), spread(yb, yb2, size)) + 0.3 * Math.hypot(rg / size, yb / size);
  return {
    sharpness: rounded(spread(edge, edges, Math.max(1, count)) ** 2),
    exposure: rounded(sum / size / 255),
    contrast: rounded(spread(sum, squares, size) / 255),
    colourfulness: rounded(hue),
  };
}

/** The picture with its evaluation in `meta.evaluation`. */
export async function evaluated(picture: EnginePicture): Promise<EnginePicture> {
  return { ...picture, meta: { ...picture.meta, evaluation: { ...(await evaluate(picture.bytes)) } } };
}
