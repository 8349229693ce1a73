import { EngineError } from '@atelier/engine';
import { findPerson, type Person } from '@atelier/photo/person';
import { resampled } from '../composition/mend.js';
import { trustIn } from '../reading/garment-confidence.js';
import { photographOf, shrunk } from '../reading/photograph.js';
import { labPlanes } from './lab-planes.js';
import { hasLimbs } from './limbs.js';
import { cropped, imageOf, rasterOf, type Raster } from '../drawing/rasterise.js';
import { decode } from '@atelier/engine/decode';
import {
  bounds,
  crop,
  dilate,
  erode,
  greyOf,
  halfway,
  planeOf,
  rounded,
  shareOf,
  type Mask,
} from './mask.js';
import { segment } from './segment.js';

export interface CutOut {
  /** The garment alone, cropped to its bounds, with straight alpha. */
  readonly raster: Raster;
  /** The same bounds at the size that shapes are judged at. */
  readonly mask: Mask;
  /** Share of the photograph that the garment covers, 0–1. */
  readonly coverage: number;
}

const MASK_SIDE = 720;

/** A soft edge half a pixel inside the contour, at the photograph's own size. */
async function feather(mask: Mask, width: number, height: number): Promise<Uint8Array> {
  const scale = Math.max(1, width / mask.width);
  const soft = greyOf(mask).blur(1.5).resize(width, height, { kernel: 'cubic', fit: 'fill' });
  return planeOf(soft.linear(1.7 * Math.min(1.6, scale), -112 * Math.min(1.6, scale)));
}

/**
 * Pushes the garment's own colour outward over its rim, because the rim's pixels are mixed with the paper and
 * would show as a pale line on any other background.
 */
function decontaminate(raster: Raster, mask: Mask, rounds: number): void {
  const { data, width, height } = raster;
  const known = new Uint8Array(erode(mask, Math.ceil(rounds * 0.5)).data);
  const wanted = dilate(mask, 2).data;
  const around = [-1, 1, -width, width, -width - 1, -width + 1, width - 1, width + 1];
  // Only the rim, a small part of the picture, is unknown. Each round visits only the pixels that are still
  // unknown.
  let rim: number[] = [];
  for (let y = 1; y < height - 1; y++)
    for (let i = y * width + 1; i < y * width + width - 1; i++) if (wanted[i] && !known[i]) rim.push(i);
  for (let round = 0; round < rounds && rim.length > 0; round++) {
    const left: number[] = [];
    const reached: number[] = [];
    for (const i of rim) {
      let [r, g, b, n] = [0, 0, 0, 0];
      for (const step of around) {
        const j = i + step;
        if (!known[j]) continue;
        r += data[j * 4] ?? 0;
        g += data[j * 4 + 1] ?? 0;
        b += data[j * 4 + 2] ?? 0;
        n++;
      }
      if (n === 0) {
        left.push(i);
        continue;
      }
      data[i * 4] = r / n;
      data[i * 4 + 1] = g / n;
      data[i * 4 + 2] = b / n;
      reached.push(i);
    }
    for (const i of reached) known[i] = 1;
    rim = left;
  }
}

async function scaledMask(mask: Mask, width: number, height: number): Promise<Mask> {
  if (mask.width === width && mask.height === height) return mask;
  const soft = await planeOf(greyOf(mask).resize(width, height, { kernel: 'cubic', fit: 'fill' }));
  return { data: halfway(soft), width, height };
}

/** The picture for reading shapes: small, and so soft that grain and JPEG noise do not look like edges. */
const softened = (raster: Raster): Promise<Raster> =>
  rasterOf(
    imageOf(raster).resize(MASK_SIDE, MASK_SIDE, { fit: 'inside', withoutEnlargement: true }).blur(0.9),
  );

/**
 * Cuts the masked part out of its photograph, with a soft edge and without the background's colour on its rim.
 * @param full at the photograph's proportions, usually smaller than it
 */
export async function lift(photograph: Raster, full: Mask): Promise<CutOut> {
  const box = bounds(full, 3);
  const mask = crop(full, box);
  const ratio = photograph.width / full.width;
  const left = Math.round(box.left * ratio);
  const top = Math.round(box.top * ratio);
  const width = Math.min(photograph.width - left, Math.round(box.width * ratio));
  const height = Math.min(photograph.height - top, Math.round(box.height * ratio));
  const raster = cropped(photograph, { left, top, width, height });
  const { data } = raster;
  decontaminate(raster, await scaledMask(mask, width, height), Math.ceil(6 * Math.max(1, ratio)));
  const alpha = await feather(mask, width, height);
  for (let i = 0; i < width * height; i++) data[i * 4 + 3] = Math.min(data[i * 4 + 3] ?? 0, alpha[i] ?? 0);
  return { raster, mask, coverage: shareOf(full) };
}

/** Long side at which a photograph is searched for people. */
export const WATCHED_SIDE = 900;

/**
 * A garment that covers this share of the picture's rim runs out of the picture. The second figure is the trust
 * that such a garment needs.
 */
const [RUNS_OUT, TRUSTED] = [0.08, 0.85];

/**
 * Whether the mask includes a part of the background: such a part runs out of the picture and has no visible
 * contour.
 */
function isGroundIn(mask: Mask, small: Raster): boolean {
  const { data, width, height } = mask;
  let rim = 0;
  for (let x = 0; x < width; x++) rim += (data[x] ?? 0) + (data[(height - 1) * width + x] ?? 0);
  for (let y = 0; y < height; y++) rim += (data[y * width] ?? 0) + (data[(y + 1) * width - 1] ?? 0);
  return rim > RUNS_OUT * 2 * (width + height) && trustIn(mask, labPlanes(small), 1) < TRUSTED;
}

const WORN =
  'This engine takes garments that are photographed by themselves: send the garment laid out on a plain background, or name an image model that works on photographs of people.';

/**
 * Finds the thing laid out on a plain background.
 * @param person the person found on the photograph, if any
 * @throws EngineError `bad_input` if a person wears it, or if nothing surely stands out from the background
 */
export async function productMask(
  photograph: Raster,
  name: string,
  person: Person | undefined,
): Promise<Mask> {
  // Otherwise the wearer would become part of the garment, on the figure and in the shop.
  if (person) throw new EngineError('bad_input', `${name} shows a person. ${WORN}`);
  const small = await softened(photograph);
  const mask = segment(small);
  if (isGroundIn(mask, small))
    throw new EngineError(
      'bad_input',
      `The garment on ${name} cannot be told from its background for sure. Send one garment, wholly seen, on a plain background.`,
    );
  const judged = await photographOf(photograph);
  const { width, height } = judged.small;
  if (hasLimbs(judged.planes, resampled(mask, width, height)))
    throw new EngineError('bad_input', `${name} shows arms or legs. ${WORN}`);
  return rounded(mask, 2);
}

/**
 * Cuts the garment out of a photograph on a plain background.
 * @param longSide wanted size of the photograph in pixels; the cut-out is cropped from it
 * @throws EngineError `bad_input` when there is no picture, when it shows a person, or when no garment clearly
 * stands out from its background
 */
export async function cutOut(bytes: Buffer, longSide: number, name: string): Promise<CutOut> {
  const photograph = await decode(bytes, longSide, name);
  const person = await findPerson(await shrunk(photograph, WATCHED_SIDE));
  return lift(photograph, await productMask(photograph, name, person));
}
