import sharp from 'sharp';
import type { EnginePicture } from '@atelier/engine';
import { abs, median, within } from './arithmetic.js';
import { imageOf, type Raster } from '../drawing/rasterise.js';
import { encode } from '../encode.js';
import { marked } from '../scene.js';
import { patchFill, type Torn } from './patch-fill.js';
import { shrunk, type Photograph } from './photograph.js';
import { mirrored, smoothFill } from './soft-fill.js';
import type { Subject } from './regions.js';
import { close, dilate, greyOf, planeOf, shareOf, type Mask } from '../cutout/mask.js';

/** The subject with its rim and its shadow on the floor. An empty plate must show none of these. */
function holeOf(subject: Subject, photograph: Photograph): Mask {
  const { mask } = subject;
  const { width, height } = mask;
  const long = Math.max(width, height);
  // Notches are closed, because a notch in the outline is more likely a missed sleeve than background. The mask
  // is widened, because a leftover rim would be visible as a ghost.
  const grown = dilate(close(mask, Math.round(long * 0.045)), Math.max(4, Math.round(long * 0.017)));
  const bottom = Math.floor(mask.data.lastIndexOf(1) / width);
  if (bottom >= height - 3) return grown;
  const data = Uint8Array.from(grown.data);
  // The shadow on the floor lies around the lowest tenth. On each side it is at most as broad as the subject.
  const rows = Math.round((bottom - Math.floor(mask.data.indexOf(1) / width)) * 0.1);
  const [left, right] = spanOf(mask, bottom - rows, bottom);
  const reach = Math.max(width * 0.27, (right - left) * 0.8);
  const { l } = photograph.asTaken;
  for (let y = bottom - rows; y < Math.min(height, bottom + rows * 0.8); y++) {
    const usual = usualLightness(l, grown, y);
    for (let x = Math.max(0, Math.round(left - reach)); x < Math.min(width, right + reach); x++) {
      const i = y * width + x;
      if ((l[i] ?? 0) < usual - 1.6) data[i] = 1;
    }
  }
  return dilate({ data, width, height }, 2);
}

function spanOf({ data, width }: Mask, from: number, to: number): readonly [number, number] {
  let [left, right] = [width, 0];
  for (let y = Math.max(0, from); y <= to; y++)
    for (let x = 0; x < width; x++)
      if (data[y * width + x]) {
        left = Math.min(left, x);
        right = Math.max(right, x);
      }
  return [left, right];
}

function usualLightness(l: Float32Array, { data, width }: Mask, y: number): number {
  const values: number[] = [];
  for (let x = 0; x < width; x += 2) if (!data[y * width + x]) values.push(l[y * width + x] ?? 0);
  return median(values);
}

/** The hole at another size: 1 where something is missing. */
async function scaledHole(mask: Mask, width: number, height: number): Promise<Uint8Array> {
  const scaled = await planeOf(greyOf(mask).resize(width, height, { kernel: 'cubic', fit: 'fill' }));
  return Uint8Array.from(scaled, (v) => (v > 100 ? 1 : 0));
}

/** The long side at which the hidden background is computed, and the long side of the finished plate. */
const COARSE_SIDE = 220;
const PLATE_SIDE = 1200;

/** Largest step of grain, in 8-bit steps. */
const MOST_GRAIN = 9;

/** The smallest share of background from which a plate can be made. */
const LEAST_GROUND = 0.33;

const blurredCopy = (raster: Raster, sigma: number): Promise<Buffer> =>
  imageOf(raster).blur(sigma).raw().toBuffer();

/** The background at a small size, with colours that blend over the hole. */
async function coarseOf(plate: Raster, mask: Mask): Promise<Torn> {
  const { data, width, height } = await shrunk(plate, COARSE_SIDE, 0.4);
  const missing = await scaledHole(mask, width, height);
  const rgb = new Float32Array(width * height * 3);
  for (let i = 0; i < width * height; i++) for (let c = 0; c < 3; c++) rgb[i * 3 + c] = data[i * 4 + c] ?? 0;
  smoothFill(rgb, missing, width, height);
  return { rgb, missing, width, height };
}

const enlarged = ({ rgb, width, height }: Torn, to: Raster): Promise<Buffer> =>
  sharp(Buffer.from(rgb.map((v) => within(v, 0, 255))), { raw: { width, height, channels: 3 } })
    .resize(to.width, to.height, { fit: 'fill', kernel: 'cubic' })
    .raw()
    .toBuffer();

/** Fills in a plain wall: soft colours with the grain of the wall beside the hole. */
async function softly(plate: Raster, missing: Uint8Array, coarse: Torn): Promise<Uint8Array> {
  const { width, height } = plate;
  const [soft, low] = [await enlarged(coarse, plate), await blurredCopy(plate, 6)];
  const data = new Uint8Array(plate.data);
  for (let y = 0; y < height; y++) {
    const from = mirrored(missing, width, y);
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      if (!missing[i]) continue;
      const source = from[x] ?? -1;
      for (let c = 0; c < 3; c++) {
        const at = (y * width + source) * 4 + c;
        const grain = source < 0 ? 0 : (plate.data[at] ?? 0) - (low[at] ?? 0);
        // A larger difference is not grain but the edge of a thing, whose mirror image would be visible.
        const made = (soft[i * 3 + c] ?? 0) + (abs(grain) < MOST_GRAIN ? grain : 0);
        data[i * 4 + c] = within(made, 0, 255);
      }
    }
  }
  return data;
}

/**
 * Fills in a place with things in it. Each pixel is copied at full size from the matches that were found in the
 * small picture. It is a mix of the matches of the four small pixels around it, so that patches run into one
 * another.
 */
function copied(plate: Raster, missing: Uint8Array, from: Int32Array, coarse: Torn): Uint8Array {
  const { width, height } = plate;
  const ratio = width / coarse.width;
  const data = new Uint8Array(plate.data);
  for (let i = 0; i < missing.length; i++) {
    if (!missing[i]) continue;
    const [x, y] = [i % width, (i / width) | 0];
    const [u, v] = [
      within(x / ratio - 0.5, 0, coarse.width - 1),
      within(y / ratio - 0.5, 0, coarse.height - 1),
    ];
    const [cx, cy] = [u | 0, v | 0];
    let [r, g, b, sum] = [0, 0, 0, 0];
    for (let corner = 0; corner < 4; corner++) {
      const [right, down] = [corner & 1, corner >> 1];
      const [px, py] = [Math.min(coarse.width - 1, cx + right), Math.min(coarse.height - 1, cy + down)];
      const weight = (right ? u - cx : 1 - u + cx) * (down ? v - cy : 1 - v + cy) + 1e-4;
      const at = py * coarse.width + px;
      const found = from[at] ?? -1;
      const own = found < 0 ? at : found;
      const sx = within(Math.round(x + ((own % coarse.width) - px) * ratio), 0, width - 1);
      const sy = within(Math.round(y + (((own / coarse.width) | 0) - py) * ratio), 0, height - 1);
      const source = sy * width + sx;
      if (missing[source]) continue;
      r += (plate.data[source * 4] ?? 0) * weight;
      g += (plate.data[source * 4 + 1] ?? 0) * weight;
      b += (plate.data[source * 4 + 2] ?? 0) * weight;
      sum += weight;
    }
    const at = cy * coarse.width + cx;
    const small = [0, 1, 2].map((c) => coarse.rgb[at * 3 + c] ?? 0);
    [r, g, b].forEach((value, c) => (data[i * 4 + c] = sum > 0 ? value / sum : (small[c] ?? 0)));
  }
  return data;
}

interface Plate {
  readonly raster: Raster;
  /** Share of the plate that is invented, 0–1. */
  readonly reconstructed: number;
  readonly method: 'continued_from_both_sides' | 'patched_from_around';
}

/**
 * The place without its subject. The hidden part is invented. If it is a plain wall, its colours continue from
 * both sides, with its grain. If there are things in the place, it is patched with similar parts from around.
 * The larger the hidden part, the more is invented.
 * @returns undefined when the subject leaves too little background
 */
export async function emptyPlate(photograph: Photograph, subject: Subject): Promise<Plate | undefined> {
  const mask = holeOf(subject, photograph);
  const reconstructed = shareOf(mask);
  if (1 - reconstructed < LEAST_GROUND) return undefined;
  const long = Math.max(photograph.full.width, photograph.full.height);
  const plate = await shrunk(photograph.full, Math.min(PLATE_SIDE, long), 0.3);
  const { width, height } = plate;
  const missing = await scaledHole(mask, width, height);
  const coarse = await coarseOf(plate, mask);
  const from = patchFill(coarse);
  const data = from ? copied(plate, missing, from, coarse) : await softly(plate, missing, coarse);
  for (let i = 3; i < data.length; i += 4) data[i] = 255;
  return {
    raster: await withoutSeam({ data, width, height }, missing),
    reconstructed,
    method: from ? 'patched_from_around' : 'continued_from_both_sides',
  };
}

/** The plate as a picture of its own. */
export async function platePicture(
  { raster, reconstructed, method }: Plate,
  { plainGround }: Subject,
  label: string,
  testMark: boolean,
): Promise<EnginePicture> {
  const meta = {
    reconstructed_share: Math.round(reconstructed * 1000) / 1000,
    setting: plainGround ? 'plain_studio' : 'location',
    method,
  };
  return encode(await marked(raster, testMark), { kind: 'background_plate', label, meta });
}

/** Blends the rim of the invented part into its surroundings. */
async function withoutSeam(raster: Raster, missing: Uint8Array): Promise<Raster> {
  const { data, width, height } = raster;
  const rim = await planeOf(greyOf({ data: missing, width, height }).blur(2.5));
  const soft = await blurredCopy(raster, 2);
  const out = new Uint8Array(data);
  for (let i = 0; i < width * height; i++) {
    const at = (rim[i] ?? 0) / 255;
    const strength = 4 * at * (1 - at);
    for (let c = 0; c < 3; c++)
      out[i * 4 + c] = (data[i * 4 + c] ?? 0) * (1 - strength) + (soft[i * 4 + c] ?? 0) * strength;
  }
  return { data: out, width, height };
}
