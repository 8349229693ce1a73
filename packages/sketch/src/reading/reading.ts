import { EngineError } from '@atelier/engine';
import { lift, type CutOut } from '../cutout/cut-out.js';
import { classify } from '../cutout/classify.js';
import { components, open, select, type Mask, dilate } from '../cutout/mask.js';
import { Silhouette } from '../cutout/silhouette.js';
import { trustIn } from './garment-confidence.js';
import { type GarmentRegion, type Slot, wornGarments } from './garments.js';
import { openPhotograph, type Photograph } from './photograph.js';
import { findSubject, type Subject } from './subject.js';
import { readWearer, type Wearer } from './wearer.js';
import type { LabPlanes } from '../cutout/lab-planes.js';
import { medianColour, skinCandidates, skinOfTone } from './skin.js';

/**
 * Bare arms and legs of a person whose head the picture cuts off: several patches of one skin colour, each narrow, that
 * together are the smaller part of the subject. A garment of a skin-like colour is one broad patch, and prints are small.
 * @returns undefined where the subject seems to have no limbs
 */
function findLimbs(planes: LabPlanes, subject: Mask): Mask | undefined {
  const { width, height } = subject;
  const size = subject.data.reduce((sum, v) => sum + v, 0);
  const like = skinCandidates(planes);
  const wanted = subject.data.map((v, i) => (v && like[i] ? 1 : 0));
  const tone = medianColour(
    planes,
    [...wanted.keys()].filter((i) => wanted[i]),
  );
  if (!tone) return undefined;
  const own = skinOfTone(planes, tone, 1.3);
  const data = wanted.map((v, i) => (v && own[i] ? 1 : 0));
  const mask = open({ data, width, height }, 1);
  const { labels, list } = components(mask, 1);
  const breadth = breadthsOf(labels, list.length, width);
  const whole = Math.max(...breadthsOf(Int32Array.from(subject.data), 1, width));
  const limbs = list.filter((c) => c.area > size * 0.012 && (breadth[c.label - 1] ?? 0) < whole * 0.42);
  const area = limbs.reduce((sum, c) => sum + c.area, 0);
  const all = data.reduce((sum, v) => sum + v, 0);
  if (limbs.length < 2 || area < size * 0.05 || area > size * 0.5 || area < all * 0.7) return undefined;
  return dilate(
    select(
      labels,
      limbs.map((c) => c.label),
      mask,
    ),
    1,
  );
}

/** Each region's breadth in pixels, in the order of the labels. */
function breadthsOf(labels: Int32Array, count: number, width: number): number[] {
  const spans = Array.from({ length: count }, () => [width, 0]);
  for (let i = 0; i < labels.length; i++) {
    const span = spans[(labels[i] ?? 0) - 1];
    if (!span) continue;
    const x = i % width;
    span[0] = Math.min(span[0] ?? width, x);
    span[1] = Math.max(span[1] ?? 0, x);
  }
  return spans.map(([from = 0, to = 0]) => to - from + 1);
}

/** Everything that is told apart in one photograph. */
export interface Reading {
  readonly photograph: Photograph;
  readonly subject: Subject;
  /** Absent for flat-lays, still lifes and people cropped below the face. */
  readonly wearer?: Wearer;
  /** Largest first. */
  readonly garments: readonly GarmentRegion[];
}

const SLOT_OF_CLASS: Readonly<Record<string, Slot>> = {
  top: 'upper',
  outerwear: 'outer',
  dress: 'one_piece',
  skirt: 'lower',
  trousers: 'lower',
  shorts: 'lower',
};

/** A garment fills this much of a photograph at least, unless a person wears it. */
const LEAST_SHARE = 0.015;
/** Beyond this nothing is left that could be called ground. */
const MOST_SHARE = 0.93;

/** Every region that lies apart is a garment of its own; two small ones of one size are a pair of shoes. */
async function laidOut(photograph: Photograph, subject: Subject): Promise<GarmentRegion[]> {
  const limbs = findLimbs(photograph.planes, subject.mask)?.data;
  const cloth: Mask = { ...subject.mask, data: subject.mask.data.map((v, i) => (v && !limbs?.[i] ? 1 : 0)) };
  const { labels, list } = components(limbs ? open(cloth, 2) : cloth, 1);
  const total = subject.mask.data.length;
  const large = list.filter((c) => c.area > total * LEAST_SHARE * 0.5).sort((p, q) => q.area - p.area);
  const [first, second] = large;
  const pair =
    first && second && large.length === 2 && second.area > first.area * 0.7 && first.area < total * 0.12;
  const parts = pair ? [[first, second]] : large.map((c) => [c]);
  const regions = parts.map(async (part): Promise<GarmentRegion> => {
    const mask = select(
      labels,
      part.map((c) => c.label),
      subject.mask,
    );
    const areaShare = part.reduce((sum, c) => sum + c.area, 0) / total;
    const small = first !== undefined && areaShare * total < first.area * 0.14;
    const slot = pair ? 'footwear' : small ? 'accessory' : await slotOf(photograph, mask);
    const trust = trustIn(mask, photograph.planes, { pieces: part.length });
    const confidence = Math.round((subject.plainGround ? 0.97 : 0.65) * trust * 100) / 100;
    return { slot, mask, areaShare, confidence };
  });
  return Promise.all(regions);
}

async function slotOf(photograph: Photograph, mask: Mask): Promise<Slot> {
  const cut = await lift(photograph.full, mask);
  return SLOT_OF_CLASS[classify(new Silhouette(cut.mask), cut.raster)] ?? 'accessory';
}

/**
 * Without a head and on a restless ground anything may have been taken for the subject: a window, a wall's pattern. What is
 * a garment there stands near the middle and leaves the rim free, but for where it is cropped.
 */
function credible({ mask, plainGround, head }: Subject): boolean {
  if (head || plainGround) return true;
  const { data, width, height } = mask;
  let [rim, sum, count] = [0, 0, 0];
  for (let i = 0; i < data.length; i++) {
    if (!data[i]) continue;
    const x = i % width;
    const y = Math.floor(i / width);
    if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) rim++;
    sum += x / width;
    count++;
  }
  return (
    count < data.length * 0.45 &&
    rim < (width + height) * 4 * 0.16 &&
    Math.abs(sum / Math.max(1, count) - 0.5) < 0.2
  );
}

const nothing = (subject: Subject): Subject => ({
  mask: { ...subject.mask, data: new Uint8Array(subject.mask.data.length) },
  share: 0,
  plainGround: subject.plainGround,
});

/**
 * Reads a photograph: subject and ground, skin, hair and cloth, and the garments.
 * @throws EngineError `bad_input` when the bytes are no picture
 */
export async function readPhotograph(bytes: Buffer, name: string): Promise<Reading> {
  const photograph = await openPhotograph(bytes, name);
  const seen = findSubject(photograph);
  const subject = credible(seen) ? seen : nothing(seen);
  const { head, mask, share } = subject;
  if (share < LEAST_SHARE * 0.5 || share > MOST_SHARE) return { photograph, subject, garments: [] };
  if (!head) return { photograph, subject, garments: await laidOut(photograph, subject) };
  const wearer = readWearer(photograph.planes, mask, head);
  return { photograph, subject, wearer, garments: wornGarments(photograph.planes, mask, wearer) };
}

/** The first input of that name. */
export function requiredInput(
  inputs: readonly { readonly name: string; readonly bytes: Buffer }[],
  name: string,
  what: string,
): Buffer {
  const found = inputs.find((input) => input.name === name);
  if (!found) throw new EngineError('bad_input', `${name} is missing. Send ${what}.`);
  return found.bytes;
}

/** A region lifted out of its photograph at full size. */
export const liftRegion = (photograph: Photograph, mask: Mask): Promise<CutOut> =>
  lift(photograph.full, mask);
