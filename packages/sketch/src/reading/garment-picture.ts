import sharp from 'sharp';
import type { ArtifactKind, EnginePicture, PictureMeta } from '@atelier/engine';
import { bounds } from '../cutout/mask.js';
import { classFromWords, type Slot } from '../cutout/classify.js';
import { dominantColours } from '../cutout/dominant-colours.js';
import { imageOf, rasterOf, type Raster } from '../drawing/rasterise.js';
import { encode } from '../encode.js';
import { marked } from '../scene.js';
import type { GarmentRegion, Reading } from './regions.js';

/** Small garments are enlarged up to this side, but never by more than `MOST_ENLARGEMENT`. */
const SHOWN_SIDE = 720;
const MOST_ENLARGEMENT = 2.5;
const MARGIN = 0.07;

const NAMES: Readonly<Record<Slot, string>> = {
  upper: 'Upper garment',
  lower: 'Lower garment',
  one_piece: 'One-piece garment',
  outer: 'Outer garment',
  footwear: 'Footwear',
  bag: 'Bag',
  headwear: 'Headwear',
  accessory: 'Accessory',
};

/** The possible slots of a product whose class is known from its name. */
const SLOTS_OF_CLASS: Readonly<Record<string, readonly Slot[]>> = {
  top: ['upper', 'outer'],
  outerwear: ['outer', 'upper'],
  dress: ['one_piece', 'upper'],
  skirt: ['lower'],
  trousers: ['lower'],
  shorts: ['lower'],
};

const NAMED_SLOTS: readonly (readonly [RegExp, Slot])[] = [
  [/\b(shoes?|sneakers?|trainers?|boots?|heels?|pumps?|loafers?|sandals?)\b/i, 'footwear'],
  [/\b(bag|tote|clutch|purse|backpack|satchel)\b/i, 'bag'],
  [/\b(hat|cap|beanie|beret)\b/i, 'headwear'],
];

/**
 * Finds the garment that a product's name means: the garment in the slot that the words name, otherwise the
 * largest.
 * @returns the garment's index, or −1 if the named thing is not there
 */
export function namedGarment(
  name: string | undefined,
  description: string | undefined,
  slots: readonly Slot[],
): number {
  if (!name) return -1;
  const words = `${name} ${description ?? ''}`;
  const named = NAMED_SLOTS.find(([pattern]) => pattern.test(name));
  if (named) return slots.indexOf(named[1]);
  const garmentClass = classFromWords(name) ?? classFromWords(words);
  if (!garmentClass) return slots.length > 0 ? 0 : -1;
  // A dress that is cropped at the hip looks like a top. A lower garment below it rules out a dress.
  const possible = (SLOTS_OF_CLASS[garmentClass] ?? []).filter(
    (slot) => garmentClass !== 'dress' || slot === 'one_piece' || !slots.includes('lower'),
  );
  const fitting = possible.map((slot) => slots.indexOf(slot)).find((at) => at >= 0);
  return fitting ?? -1;
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

/** The garment in the middle of a sheet, with empty space around it. */
async function onSheet(garment: Raster, ground: 'transparent' | 'white'): Promise<Raster> {
  const long = Math.max(garment.width, garment.height);
  const scale = Math.max(1, Math.min(MOST_ENLARGEMENT, SHOWN_SIDE / long));
  const [w, h] = [Math.round(garment.width * scale), Math.round(garment.height * scale)];
  const margin = Math.round(Math.max(w, h) * MARGIN);
  const piece = await imageOf(garment)
    .resize(w, h, { fit: 'fill', kernel: 'lanczos3' })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const [width, height] = [w + 2 * margin, h + 2 * margin];
  const background = { r: 255, g: 255, b: 255, alpha: ground === 'white' ? 1 : 0 };
  const sheet = sharp({ create: { width, height, channels: 4, background } });
  return rasterOf(sheet.composite([{ input: piece, left: margin, top: margin }]));
}

interface GarmentSheet {
  readonly kind: ArtifactKind;
  readonly ground: 'transparent' | 'white';
  /** The product's name, if this garment is the product. */
  readonly label: string | undefined;
  readonly testMark: boolean;
}

/**
 * One garment of a reading, as a picture of its own. `meta.bounding_box` is [left, top, right, bottom], 0–1.
 */
export async function garmentPicture(
  reading: Reading,
  region: GarmentRegion,
  sheet: GarmentSheet,
): Promise<EnginePicture> {
  const cut = await region.cut();
  const box = bounds(region.mask, 0);
  const { width, height } = region.mask;
  const raster = await marked(await onSheet(cut, sheet.ground), sheet.testMark);
  const meta: PictureMeta = {
    slot: region.slot,
    bounding_box: [
      box.left / width,
      box.top / height,
      (box.left + box.width) / width,
      (box.top + box.height) / height,
    ].map(round),
    dominant_colours: dominantColours(cut).map((colour) => colour.hex),
    area_share: round(region.areaShare),
    ...(region.confidence === undefined ? {} : { confidence: region.confidence }),
    worn: reading.figure !== undefined,
  };
  const facts = { kind: sheet.kind, label: sheet.label ?? NAMES[region.slot], meta };
  return encode(raster, facts, { keepAlpha: sheet.ground === 'transparent' });
}
