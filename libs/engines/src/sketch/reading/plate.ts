import { abs, floor, within } from './arithmetic.js';
import sharp from 'sharp';
import { dilate, type Mask } from '../cutout/mask.js';
import type { Raster } from '../drawing/rasterise.js';
import { shrunk, type Photograph } from './photograph.js';
import type { Subject } from './subject.js';

/** Long side at which the ground behind the subject is worked out, and the one of the finished plate. */
const COARSE_SIDE = 300;
const PLATE_SIDE = 1200;

/** Largest step of grain, in 8-bit steps. */
const MOST_GRAIN = 9;

/** Pixels beside a hole that still show its contour. */
const RIM = 7;

/** Least share of ground from which a plate can be made up. */
export const LEAST_GROUND = 0.33;

/** The subject with its rim, and the shadow that it throws on the floor: all that an empty plate must not show. */
function hole(subject: Subject, photograph: Photograph): Mask {
  const { mask } = subject;
  const { width, height } = mask;
  const grown = dilate(mask, Math.max(3, Math.round(Math.max(width, height) * 0.011)));
  const bottom = Math.floor(mask.data.lastIndexOf(1) / width);
  if (bottom >= height - 3) return grown;
  const data = Uint8Array.from(grown.data);
  // The floor's shadow lies around the lowest tenth, up to as far beside the subject as it is broad.
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
  return values.sort((p, q) => p - q)[values.length >> 1] ?? 0;
}

/**
 * Fills the hole row by row between its nearest ground on the left and on the right, softened from row to row, then lets
 * the colours flow together: walls, skirting boards and horizons run on, and no seam is left where they meet.
 */
function smoothFill(picture: Float32Array, missing: Uint8Array, width: number, height: number): void {
  for (let y = 0; y < height; y++) {
    let from = -1;
    for (let x = 0; x <= width; x++) {
      const inside = x < width && missing[y * width + x] === 1;
      if (inside && from < 0) from = x;
      if (inside || from < 0) continue;
      const [left, right] = [from - 1, x];
      for (let k = from; k < x; k++) {
        const t = left < 0 ? 1 : right >= width ? 0 : (k - left) / (right - left);
        for (let c = 0; c < 3; c++) {
          const a = left < 0 ? undefined : picture[(y * width + left) * 3 + c];
          const b = right >= width ? undefined : picture[(y * width + right) * 3 + c];
          picture[(y * width + k) * 3 + c] = (a ?? b ?? 128) * (1 - t) + (b ?? a ?? 128) * t;
        }
      }
      from = -1;
    }
  }
  relax(picture, missing, width, height);
}

/** Gauss–Seidel sweeps with three times the weight along rows, so that what runs level stays sharp. */
function relax(picture: Float32Array, missing: Uint8Array, width: number, height: number): void {
  const inside: number[] = [];
  for (let i = 0; i < missing.length; i++) if (missing[i]) inside.push(i);
  for (let round = 0; round < 14; round++) {
    for (const i of round % 2 ? inside : inside.toReversed()) {
      const x = i % width;
      const y = floor(i / width);
      for (let c = 0; c < 3; c++) {
        let [sum, weight] = [0, 0];
        const add = (j: number, w: number): void => {
          sum += (picture[j * 3 + c] ?? 0) * w;
          weight += w;
        };
        if (x > 0) add(i - 1, 3);
        if (x < width - 1) add(i + 1, 3);
        if (y > 0) add(i - width, 1);
        if (y < height - 1) add(i + width, 1);
        picture[i * 3 + c] = sum / weight;
      }
    }
  }
}

/** Where a hole's pixel takes its grain from: mirrored at the nearer side of the hole, on its own row. */
function mirrored(missing: Uint8Array, width: number, y: number): Int32Array {
  const from = new Int32Array(width).fill(-1);
  const row = y * width;
  const free = (x: number): boolean => x >= 0 && x < width && !missing[row + x];
  let start = -1;
  for (let x = 0; x <= width; x++) {
    const inside = x < width && missing[row + x] === 1;
    if (inside && start < 0) start = x;
    if (inside || start < 0) continue;
    for (let k = start; k < x; k++) {
      const viaLeft = start - RIM - (k - start);
      const viaRight = x + RIM + (x - 1 - k);
      const preferLeft = k - start < x - 1 - k;
      const choices = preferLeft ? [viaLeft, viaRight] : [viaRight, viaLeft];
      from[k] = choices.find(free) ?? -1;
    }
    start = -1;
  }
  return from;
}

async function scaledHole(mask: Mask, width: number, height: number): Promise<Uint8Array> {
  const grey = Buffer.from(mask.data.map((v) => v * 255));
  const scaled = await sharp(grey, { raw: { width: mask.width, height: mask.height, channels: 1 } })
    .resize(width, height, { kernel: 'cubic', fit: 'fill' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  return Uint8Array.from(scaled, (v) => (v > 100 ? 1 : 0));
}

async function blurredCopy({ data, width, height }: Raster, sigma: number): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: 4 } })
    .blur(sigma)
    .raw()
    .toBuffer();
}

/** The soft fill at the plate's own size. */
async function fillAt(plate: Raster, missing: Uint8Array, mask: Mask): Promise<Buffer> {
  const coarse = await shrunk(plate, COARSE_SIDE, 0.6);
  const { width, height } = coarse;
  const holes = await scaledHole({ ...mask, data: mask.data }, width, height);
  const colours = new Float32Array(width * height * 3);
  for (let i = 0; i < width * height; i++)
    for (let c = 0; c < 3; c++) colours[i * 3 + c] = coarse.data[i * 4 + c] ?? 0;
  smoothFill(colours, holes, width, height);
  const bytes = Buffer.from(colours.map((v) => within(v, 0, 255)));
  const large = await sharp(bytes, { raw: { width, height, channels: 3 } })
    .resize(plate.width, plate.height, { fit: 'fill', kernel: 'cubic' })
    .raw()
    .toBuffer();
  return missing.length === plate.width * plate.height ? large : Buffer.alloc(0);
}

export interface Plate {
  readonly raster: Raster;
  /** Share of the plate that was made up, 0–1. */
  readonly reconstructed: number;
}

/**
 * The place without its subject. What was hidden is made up: colours run on from both sides, and the grain of wall and
 * floor is mirrored in from beside. The more was hidden, the more of it is invented.
 * @returns undefined when the subject leaves too little ground
 */
export async function emptyPlate(photograph: Photograph, subject: Subject): Promise<Plate | undefined> {
  const mask = hole(subject, photograph);
  const reconstructed = mask.data.reduce((sum, v) => sum + v, 0) / mask.data.length;
  if (1 - reconstructed < LEAST_GROUND) return undefined;
  const long = Math.max(photograph.full.width, photograph.full.height);
  const plate = await shrunk(photograph.full, Math.min(PLATE_SIDE, long), 0.3);
  const { width, height } = plate;
  const missing = await scaledHole(mask, width, height);
  const soft = await fillAt(plate, missing, mask);
  const low = await blurredCopy(plate, 6);
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    const from = mirrored(missing, width, y);
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const source = from[x] ?? -1;
      for (let c = 0; c < 3; c++) {
        const own = plate.data[i * 4 + c] ?? 0;
        const at = (y * width + source) * 4 + c;
        const grain = source < 0 ? 0 : (plate.data[at] ?? 0) - (low[at] ?? 0);
        // Beyond this it is no grain but the edge of a thing, and its mirror image would be seen.
        const made = (soft[i * 3 + c] ?? 0) + (abs(grain) < MOST_GRAIN ? grain : 0);
        data[i * 4 + c] = missing[i] ? within(made, 0, 255) : own;
      }
      data[i * 4 + 3] = 255;
    }
  }
  return { raster: await withoutSeam({ data, width, height }, missing), reconstructed };
}

/** Blends the made-up part's rim into its surroundings. */
async function withoutSeam(raster: Raster, missing: Uint8Array): Promise<Raster> {
  const { data, width, height } = raster;
  const rim = await sharp(Buffer.from(missing.map((v) => v * 255)), { raw: { width, height, channels: 1 } })
    .blur(2.5)
    .toColourspace('b-w')
    .raw()
    .toBuffer();
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
