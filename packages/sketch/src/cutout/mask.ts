import sharp, { type Sharp } from 'sharp';
import type { Box } from '../drawing/rasterise.js';

/** Binary masks: 1 inside, 0 outside, row by row. */
export interface Mask {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

interface Component {
  readonly label: number;
  readonly area: number;
  readonly touchesBorder: boolean;
}

/** Labels the 4-connected regions in which `value` holds; label 0 is everything else. */
export function components(mask: Mask, value: 0 | 1): { labels: Int32Array; list: Component[] } {
  const { data, width } = mask;
  const last = data.length - width;
  const labels = new Int32Array(data.length);
  const stack = new Int32Array(data.length);
  const list: Component[] = [];
  for (let start = 0; start < data.length; start++) {
    if (data[start] !== value || labels[start]) continue;
    const label = list.length + 1;
    let top = 0;
    let area = 0;
    let touchesBorder = false;
    stack[top++] = start;
    labels[start] = label;
    while (top > 0) {
      const i = stack[--top] ?? 0;
      area++;
      const x = i % width;
      if (x === 0 || x === width - 1 || i < width || i >= last) touchesBorder = true;
      // The four neighbours are written out: this loop runs for every pixel of every picture.
      if (x > 0 && data[i - 1] === value && !labels[i - 1]) {
        labels[i - 1] = label;
        stack[top++] = i - 1;
      }
      if (x < width - 1 && data[i + 1] === value && !labels[i + 1]) {
        labels[i + 1] = label;
        stack[top++] = i + 1;
      }
      if (i >= width && data[i - width] === value && !labels[i - width]) {
        labels[i - width] = label;
        stack[top++] = i - width;
      }
      if (i < last && data[i + width] === value && !labels[i + width]) {
        labels[i + width] = label;
        stack[top++] = i + width;
      }
    }
    list.push({ label, area, touchesBorder });
  }
  return { labels, list };
}

/** The mask of the labels in `kept`. Label 0 gets the value `otherwise`. */
export function select(labels: Int32Array, kept: Iterable<number>, mask: Mask, otherwise: 0 | 1 = 0): Mask {
  let most = 0;
  for (const label of labels) if (label > most) most = label;
  const keep = new Uint8Array(most + 1);
  for (const label of kept) keep[label] = 1;
  const data = new Uint8Array(labels.length);
  for (let i = 0; i < data.length; i++) {
    const label = labels[i] ?? 0;
    data[i] = label ? (keep[label] ?? 0) : otherwise;
  }
  return { data, width: mask.width, height: mask.height };
}

/**
 * Grows the wanted value by `radius` steps to the four neighbours. It makes two sweeps that carry each pixel's
 * distance along, so a large radius costs no more than a small one.
 */
const rank = (mask: Mask, radius: number, wanted: 0 | 1): Mask => {
  const { width, height } = mask;
  const far = Math.min(65_000, radius + 1);
  const distance = new Uint16Array(width * height);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      if (mask.data[i] === wanted) continue;
      const left = x > 0 ? (distance[i - 1] ?? far) : far;
      const above = y > 0 ? (distance[i - width] ?? far) : far;
      const near = (left < above ? left : above) + 1;
      distance[i] = near < far ? near : far;
    }
  }
  const data = new Uint8Array(width * height);
  for (let y = height - 1, i = width * height - 1; y >= 0; y--) {
    for (let x = width - 1; x >= 0; x--, i--) {
      const own = distance[i] ?? far;
      const right = x < width - 1 ? (distance[i + 1] ?? far) + 1 : far;
      const below = y < height - 1 ? (distance[i + width] ?? far) + 1 : far;
      const beside = right < below ? right : below;
      const least = own < beside ? own : beside;
      distance[i] = least;
      data[i] = least <= radius ? wanted : wanted === 1 ? 0 : 1;
    }
  }
  return { data, width, height };
};

export const dilate = (mask: Mask, radius: number): Mask => rank(mask, radius, 1);
export const erode = (mask: Mask, radius: number): Mask => rank(mask, radius, 0);
/** Removes hairs and specks narrower than twice the radius. */
export const open = (mask: Mask, radius: number): Mask => dilate(erode(mask, radius), radius);
export const close = (mask: Mask, radius: number): Mask => erode(dilate(mask, radius), radius);

/** Share of the picture that a mask covers, 0–1. */
export const shareOf = ({ data }: Mask): number => data.reduce((sum, v) => sum + v, 0) / data.length;

/** The smallest box that holds a mask, widened by a margin inside the picture. */
export function bounds({ data, width, height }: Mask, margin: number): Box {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let i = 0; i < data.length; i++) {
    if (!data[i]) continue;
    const x = i % width;
    const y = (i - x) / width;
    if (x < left) left = x;
    if (x > right) right = x;
    if (y < top) top = y;
    if (y > bottom) bottom = y;
  }
  left = Math.max(0, left - margin);
  top = Math.max(0, top - margin);
  return {
    left,
    top,
    width: Math.min(width, right + margin + 1) - left,
    height: Math.min(height, bottom + margin + 1) - top,
  };
}

export function crop(mask: Mask, box: Box): Mask {
  const data = new Uint8Array(box.width * box.height);
  for (let y = 0; y < box.height; y++) {
    const from = (y + box.top) * mask.width + box.left;
    data.set(mask.data.subarray(from, from + box.width), y * box.width);
  }
  return { data, width: box.width, height: box.height };
}

/** A mask as an image of libvips with one channel: `inside` where the mask is 1, else 0. */
export const greyOf = ({ data, width, height }: Mask, inside = 255): Sharp =>
  sharp(Buffer.from(data.map((v) => v * inside)), { raw: { width, height, channels: 1 } });

/** The pixels of an image that has one channel. */
export const planeOf = (image: Sharp): Promise<Buffer> => image.toColourspace('b-w').raw().toBuffer();

/** Takes the pixel steps, nicks and burrs out of a contour. */
export async function rounded(mask: Mask, sigma: number): Promise<Mask> {
  return { ...mask, data: halfway(await planeOf(greyOf(mask).blur(sigma))) };
}

/** 1 where a plane is more than half bright. */
export const halfway = (plane: Uint8Array): Uint8Array => Uint8Array.from(plane, (v) => (v > 127 ? 1 : 0));
