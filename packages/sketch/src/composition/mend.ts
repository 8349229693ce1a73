import sharp from 'sharp';
import { dilate, greyOf, planeOf, type Mask } from '../cutout/mask.js';
import { imageOf, rasterOf, type Raster } from '../drawing/rasterise.js';

/**
 * Mean colour of up to `reach` known pixels beside a hole, in the hole's row, from `x` in the direction of
 * `step`.
 */
function beside(rgb: Float32Array, hole: Mask, x: number, y: number, step: 1 | -1): number[] | undefined {
  const sum = [0, 0, 0];
  let count = 0;
  for (let px = x; count < 6 && px >= 0 && px < hole.width && !hole.data[y * hole.width + px]; px += step) {
    for (let c = 0; c < 3; c++) sum[c] = (sum[c] ?? 0) + (rgb[(y * hole.width + px) * 3 + c] ?? 0);
    count++;
  }
  return count > 0 ? sum.map((v) => v / count) : undefined;
}

/**
 * Fills holes row by row from their left and right neighbours, because floors and walls continue behind a
 * figure.
 */
function fillRows(rgb: Float32Array, hole: Mask): void {
  const { width, height, data } = hole;
  let above = [200, 195, 188];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!data[y * width + x]) continue;
      let end = x;
      while (end < width && data[y * width + end]) end++;
      const left = beside(rgb, hole, x - 1, y, -1);
      const right = beside(rgb, hole, end, y, 1);
      const [from, to] = [left ?? right ?? above, right ?? left ?? above];
      above = from;
      for (let px = x; px < end; px++) {
        const t = (px - x + 0.5) / (end - x);
        // Near each side the colour stays constant. The two blend in the middle, behind the new subject.
        const s = t * t * (3 - 2 * t);
        for (let c = 0; c < 3; c++)
          rgb[(y * width + px) * 3 + c] = (from[c] ?? 0) * (1 - s) + (to[c] ?? 0) * s;
      }
      x = end;
    }
  }
}

/**
 * Removes streaks from the filled area: takes the mean over some rows of filled pixels and their neighbours.
 */
function smoothColumns(rgb: Float32Array, hole: Mask, reach: number): Float32Array {
  const { width, height, data } = hole;
  const out = new Float32Array(rgb);
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++) {
      if (!data[y * width + x]) continue;
      for (let c = 0; c < 3; c++) {
        let [sum, weight] = [0, 0];
        for (let k = -reach; k <= reach; k++) {
          const row = y + k < 0 ? 0 : y + k >= height ? height - 1 : y + k;
          const w = reach + 1 - (k < 0 ? -k : k);
          sum += w * (rgb[(row * width + x) * 3 + c] ?? 0);
          weight += w;
        }
        out[(y * width + x) * 3 + c] = sum / weight;
      }
    }
  }
  return out;
}

/**
 * Pictures are mended at this size. That is enough, because the invented part is soft and the rest keeps its
 * own pixels.
 */
const SIDE = 512;

/**
 * The place without its subject: the masked area is filled from both sides.
 * @param subject a mask of any size over the same picture
 */
export async function withoutSubject(picture: Raster, subject: Mask): Promise<Raster> {
  const { width, height } = picture;
  const scale = Math.min(1, SIDE / Math.max(width, height));
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  const { data: small } = await rasterOf(imageOf(picture).resize(w, h, { fit: 'fill' }));
  const hole = dilate(resampled(subject, w, h), Math.max(3, Math.round(h * 0.014)));
  const rgb = new Float32Array(w * h * 3);
  for (let i = 0; i < w * h; i++) for (let c = 0; c < 3; c++) rgb[i * 3 + c] = small[i * 4 + c] ?? 0;
  fillRows(rgb, hole);
  const patch = Buffer.from(Uint8ClampedArray.from(smoothColumns(rgb, hole, 3)));
  const overlay = await softPatch(patch, hole, width, height);
  return rasterOf(imageOf(picture).composite([{ input: overlay, raw: { width, height, channels: 4 } }]));
}

/** The patch enlarged, its rim softened a little so that no seam is seen. */
async function softPatch(patch: Buffer, hole: Mask, width: number, height: number): Promise<Buffer> {
  const { width: w, height: h } = hole;
  const enlarge = { fit: 'fill', kernel: 'cubic' } as const;
  const colour = await sharp(patch, { raw: { width: w, height: h, channels: 3 } })
    .resize(width, height, enlarge)
    .raw()
    .toBuffer();
  const alpha = await planeOf(greyOf(hole).blur(1.4).resize(width, height, enlarge));
  const out = Buffer.alloc(width * height * 4);
  for (let i = 0; i < width * height; i++) {
    out[i * 4] = colour[i * 3] ?? 0;
    out[i * 4 + 1] = colour[i * 3 + 1] ?? 0;
    out[i * 4 + 2] = colour[i * 3 + 2] ?? 0;
    out[i * 4 + 3] = alpha[i] ?? 0;
  }
  return out;
}

/** A mask at another size, by its nearest pixels. */
export function resampled(mask: Mask, width: number, height: number): Mask {
  if (mask.width === width && mask.height === height) return mask;
  const data = new Uint8Array(width * height);
  const nearest = (from: number, to: number): Int32Array =>
    Int32Array.from({ length: to }, (_, k) => Math.min(from - 1, Math.floor(((k + 0.5) * from) / to)));
  const [columns, rows] = [nearest(mask.width, width), nearest(mask.height, height)];
  for (let y = 0; y < height; y++) {
    const row = (rows[y] ?? 0) * mask.width;
    for (let x = 0; x < width; x++) data[y * width + x] = mask.data[row + (columns[x] ?? 0)] ?? 0;
  }
  return { data, width, height };
}

/**
 * Paints cloth over the hair and hands that hid it, in place. It copies the mirrored place on the other side,
 * because garments are symmetrical, or else a place farther down.
 * @param known where the picture shows cloth
 * @param missing where cloth is hidden
 * @param middle the wearer's middle line, pixels
 */
export function mendCloth(picture: Raster, known: Mask, missing: Mask, middle: number): void {
  const { data, width, height } = picture;
  const shows = (x: number, y: number): boolean =>
    x >= 0 && x < width && y < height && known.data[y * width + x] === 1;
  const steps = [0.02, 0.035, 0.05, 0.07, 0.1, 0.14, 0.2, 0.28].map((share) => Math.round(share * height));
  for (let y = height - 1; y >= 0; y--) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      if (!missing.data[i] || known.data[i]) continue;
      const mirrored = Math.round(2 * middle - x);
      const step = steps.find((down) => shows(x, y + down));
      const from = shows(mirrored, y)
        ? y * width + mirrored
        : step === undefined
          ? -1
          : (y + step) * width + x;
      if (from < 0) continue;
      for (let c = 0; c < 4; c++) data[i * 4 + c] = data[from * 4 + c] ?? 0;
    }
  }
}
