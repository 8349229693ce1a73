import { EngineError, type EngineImage } from '@atelier/engine';
import { findPerson, type Person as Photographed } from '@atelier/photo/person';
import { resampled } from '../composition/mend.js';
import { modelBackground } from '../cutout/background-model.js';
import { classify, SLOT_OF_CLASS, type Slot } from '../cutout/classify.js';
import { lift, productMask, WATCHED_SIDE } from '../cutout/cut-out.js';
import { components, select, shareOf, type Mask } from '../cutout/mask.js';
import { Silhouette } from '../cutout/silhouette.js';
import type { Raster } from '../drawing/rasterise.js';
import { readDrawn } from './drawn.js';
import { trustIn } from './garment-confidence.js';
import { openPhotograph, shrunk, type Photograph } from './photograph.js';
import type { GarmentRegion, Reading, Subject } from './regions.js';

/** A garment fills at least this share of a photograph. */
const LEAST_SHARE = 0.0075;

async function slotOf(photograph: Photograph, mask: Mask): Promise<Slot> {
  const cut = await lift(photograph.full, mask);
  return SLOT_OF_CLASS[classify(new Silhouette(cut.mask), cut.raster)];
}

/** Every separate region is a garment. Two small regions of the same size are a pair of shoes. */
async function laidOut(photograph: Photograph, whole: Mask): Promise<GarmentRegion[]> {
  const { labels, list } = components(whole, 1);
  const total = whole.data.length;
  const large = list.filter((c) => c.area > total * LEAST_SHARE).sort((p, q) => q.area - p.area);
  const [first, second] = large;
  const pair =
    first && second && large.length === 2 && second.area > first.area * 0.7 && first.area < total * 0.12;
  const parts = pair ? [[first, second]] : large.map((c) => [c]);
  const { width, height } = photograph.small;
  const regions = parts.map(async (part): Promise<GarmentRegion> => {
    const fine = select(
      labels,
      part.map((c) => c.label),
      whole,
    );
    const mask = resampled(fine, width, height);
    const areaShare = shareOf(fine);
    const small = first !== undefined && areaShare * total < first.area * 0.14;
    const slot = pair ? 'footwear' : small ? 'accessory' : await slotOf(photograph, fine);
    const trust = trustIn(mask, photograph.planes, part.length);
    const cut = async (): Promise<Raster> => (await lift(photograph.full, fine)).raster;
    return { slot, mask, areaShare, confidence: Math.round(trust * 100) / 100, cut };
  });
  return Promise.all(regions);
}

/**
 * The pixels that may show a person, at the size of the small picture. The threshold is low, because an
 * outstretched hand is faint in the mask.
 */
function maskOfPerson({ mask }: Photographed, { small }: Photograph): Mask {
  const data = Uint8Array.from(mask.data, (v) => (v > 0.15 ? 1 : 0));
  return resampled({ data, width: mask.width, height: mask.height }, small.width, small.height);
}

const PLAIN = 0.93;

/**
 * Reads a picture. If this engine composed it, the meta names its people and the place of each garment. In any
 * other picture it reads only garments photographed by themselves on a plain background, and does not cut worn
 * clothes out.
 * @throws EngineError `bad_input` when the bytes are no picture
 */
export async function readPhotograph(input: EngineImage): Promise<Reading> {
  const { bytes, name } = input;
  const photograph = await openPhotograph(bytes, name);
  const drawn = await readDrawn(input, photograph);
  if (drawn) return drawn;
  const plainGround = modelBackground(photograph.planes).agreement > PLAIN;
  const subjectOf = (mask: Mask): Subject => ({ mask, share: shareOf(mask), plainGround });
  const { width, height } = photograph.small;
  const nothing = subjectOf({ data: new Uint8Array(width * height), width, height });
  const watched = await shrunk(photograph.full, WATCHED_SIDE);
  const person = await findPerson(watched);
  try {
    const whole = await productMask(photograph.full, name, person);
    const subject = subjectOf(resampled(whole, width, height));
    return { photograph, subject, garments: await laidOut(photograph, whole), refusal: NOT_FOUND(name) };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const refusal = error.message;
    if (!person) return { photograph, subject: nothing, garments: [], refusal };
    const subject = subjectOf(maskOfPerson(person, photograph));
    return { photograph, subject, garments: [], person: true, refusal };
  }
}

const NOT_FOUND = (name: string): string =>
  `No garment was found on ${name}. Send a photograph of the garment by itself on a plain background.`;

/** The first input of that name. @throws EngineError `bad_input` if it is missing */
export function requiredInput(inputs: readonly EngineImage[], name: string, what: string): EngineImage {
  const found = inputs.find((input) => input.name === name);
  if (!found) throw new EngineError('bad_input', `${name} is missing. Send ${what}.`);
  return found;
}
