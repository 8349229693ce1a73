import type { Box, Raster } from '../drawing/rasterise.js';
import { lerp, smoothstep } from '../drawing/geometry.js';
import { bounds, crop, greyOf, planeOf, rounded, shareOf, type Mask } from './mask.js';

export interface Matte {
  /** The subject alone, cropped to its bounds, with straight alpha. */
  readonly raster: Raster;
  /** Where it was in the picture, pixels. */
  readonly box: Box;
  /** The same bounds at the size that shapes are judged at. */
  readonly mask: Mask;
  /** Share of the picture that it covers, 0–1. */
  readonly coverage: number;
}

/** Colours of one side of a contour, spread over the whole picture, at a quarter of its size. */
interface Field {
  readonly rgb: Float32Array;
  readonly width: number;
}

const SHRINK = 4;

/** A box mean over rows, then over columns, of four planes at once: colour and weight. */
function blurred(planes: Float32Array, width: number, height: number, reach: number): Float32Array {
  const pass = (source: Float32Array, across: boolean): Float32Array => {
    const out = new Float32Array(source.length);
    const [lines, length] = across ? [height, width] : [width, height];
    const step = (across ? 1 : width) * 4;
    for (let line = 0; line < lines; line++) {
      const start = line * (across ? width : 1) * 4;
      for (let c = 0; c < 4; c++) {
        let sum = 0;
        for (let k = 0; k < Math.min(length, reach); k++) sum += source[start + k * step + c] ?? 0;
        for (let k = 0; k < length; k++) {
          if (k + reach < length) sum += source[start + (k + reach) * step + c] ?? 0;
          if (k - reach - 1 >= 0) sum -= source[start + (k - reach - 1) * step + c] ?? 0;
          out[start + k * step + c] = sum;
        }
      }
    }
    return out;
  };
  return pass(pass(planes, true), false);
}

/**
 * Mean colour of the chosen pixels around each place. It uses near pixels if there are any, otherwise farther
 * ones.
 */
function fieldOf({ data, width, height }: Raster, chosen: (i: number) => boolean): Field {
  const [w, h] = [Math.ceil(width / SHRINK), Math.ceil(height / SHRINK)];
  const sums = new Float32Array(w * h * 4);
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      const i = y * width + x;
      if (!chosen(i)) continue;
      const o = (((y / SHRINK) | 0) * w + ((x / SHRINK) | 0)) * 4;
      for (let c = 0; c < 3; c++) sums[o + c] = (sums[o + c] ?? 0) + (data[i * 4 + c] ?? 0);
      sums[o + 3] = (sums[o + 3] ?? 0) + 1;
    }
  }
  const [near, wide] = [4, Math.ceil(Math.max(w, h) / 3)].map((reach) => blurred(sums, w, h, reach));
  const rgb = new Float32Array(w * h * 3);
  for (let i = 0; i < w * h; i++) {
    const from = (near?.[i * 4 + 3] ?? 0) > 3 ? near : wide;
    const weight = Math.max(1, from?.[i * 4 + 3] ?? 0);
    for (let c = 0; c < 3; c++) rgb[i * 3 + c] = (from?.[i * 4 + c] ?? 0) / weight;
  }
  return { rgb, width: w };
}

/**
 * The mask as a soft plane of the picture's size: 128 on the contour, with a ramp of `reach` pixels on both
 * sides.
 */
const softPlane = (mask: Mask, width: number, height: number, reach: number): Promise<Uint8Array> =>
  planeOf(
    greyOf(mask)
      .resize(width, height, { fit: 'fill', kernel: 'cubic' })
      .blur(Math.max(0.6, reach * 0.7)),
  );

/**
 * The contrast counts as at least this much, in 8-bit steps, because smaller differences may be the paper's
 * grain.
 */
const LEAST_CONTRAST = 42;
/**
 * If a background differs more than this from its own blur, it is too varied to separate from a rim by colour.
 */
const LIVELY = 30;

/** How much the background beside the subject differs from its own blur, on average. */
function unrest({ data, width }: Raster, soft: Uint8Array, ground: Field): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < soft.length; i += 7) {
    const v = soft[i] ?? 0;
    if (v > 22 || v < 1) continue;
    const o = ((((i / width) | 0) / SHRINK) | 0) * ground.width + (((i % width) / SHRINK) | 0);
    sum += [0, 1, 2].reduce((d, c) => d + Math.abs((data[i * 4 + c] ?? 0) - (ground.rgb[o * 3 + c] ?? 0)), 0);
    count++;
  }
  return sum / Math.max(1, count);
}

/**
 * Cuts a subject out of its picture by a mask that may be a few pixels off. Along the contour, each pixel is
 * compared with the background beside it. The difference decides how much of the pixel is subject, and the
 * background's share is removed from its colour.
 * @param slack how far the mask may be off, in pixels of the picture
 */
export async function matte(picture: Raster, shape: Mask, slack: number): Promise<Matte> {
  const { data, width, height } = picture;
  const mask = await rounded(shape, 2);
  const soft = await softPlane(mask, width, height, slack);
  const ground = fieldOf(picture, (i) => (soft[i] ?? 0) < 14);
  const body = fieldOf(picture, (i) => (soft[i] ?? 0) > 241);
  const lively = unrest(picture, soft, ground) > LIVELY;
  const ratio = width / mask.width;
  const small = bounds(mask, 4);
  const left = Math.floor(small.left * ratio);
  const top = Math.floor(small.top * ratio);
  const box: Box = {
    left,
    top,
    width: Math.min(width - left, Math.ceil(small.width * ratio)),
    height: Math.min(height - top, Math.ceil(small.height * ratio)),
  };
  const out = new Uint8Array(box.width * box.height * 4);
  for (let y = 0; y < box.height; y++) {
    for (let x = 0; x < box.width; x++) {
      const i = (y + top) * width + x + left;
      const plane = soft[i] ?? 0;
      if (plane < 6) continue;
      const o = (y * box.width + x) * 4;
      const own = (data[i * 4 + 3] ?? 255) / 255;
      let alpha = smoothstep(96, 176, plane);
      const field = ((((y + top) / SHRINK) | 0) * ground.width + (((x + left) / SHRINK) | 0)) * 3;
      if (plane < 248 && !lively) {
        let [apart, contrast] = [0, 0];
        for (let c = 0; c < 3; c++) {
          const behind = ground.rgb[field + c] ?? 0;
          apart += Math.abs((data[i * 4 + c] ?? 0) - behind);
          contrast += Math.abs((body.rgb[field + c] ?? 0) - behind);
        }
        const told = smoothstep(0.16, 0.62, apart / Math.max(LEAST_CONTRAST, contrast));
        // Near the contour the colour decides; deep inside and well outside, the mask decides.
        const trust = smoothstep(6, 40, plane) * (1 - smoothstep(205, 248, plane));
        // The rim of pale cloth on a pale wall shows no difference, so the mask decides there.
        const sure = smoothstep(60, 130, contrast);
        const inside = lerp(Math.max(alpha, told), told, sure);
        alpha = plane > 128 ? inside * trust + (1 - trust) : told * trust;
      }
      for (let c = 0; c < 3; c++) {
        const value = data[i * 4 + c] ?? 0;
        const behind = ground.rgb[field + c] ?? 0;
        const clean = alpha > 0.12 && alpha < 1 ? (value - (1 - alpha) * behind) / alpha : value;
        out[o + c] = Math.max(0, Math.min(255, clean));
      }
      out[o + 3] = alpha * own * 255;
    }
  }
  return {
    raster: { data: out, width: box.width, height: box.height },
    box,
    mask: crop(mask, small),
    coverage: shareOf(mask),
  };
}
