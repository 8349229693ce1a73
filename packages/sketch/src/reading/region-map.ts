import type { EnginePicture, PictureMeta } from '@atelier/engine';
import { parseHex } from '../drawing/colour.js';
import { imageOf, rasterOf } from '../drawing/rasterise.js';
import type { Slot } from '../cutout/classify.js';
import { encode } from '../encode.js';
import { marked } from '../scene.js';
import type { Reading } from './regions.js';

const TINTS: Readonly<Record<Slot, string>> = {
  upper: '#d9694f',
  lower: '#3f6fb0',
  one_piece: '#4f9a6b',
  outer: '#d9a03f',
  footwear: '#9a5fb0',
  bag: '#3fa7a7',
  headwear: '#b05f86',
  accessory: '#7d8a4f',
};
const PERSON = '#e9b99a';

/**
 * The photograph with every region tinted and the background faded, so that the reading is visible at a glance.
 */
export async function regionMap(reading: Reading, testMark: boolean): Promise<EnginePicture> {
  const { photograph, subject, garments } = reading;
  const isPerson = reading.figure !== undefined || reading.person !== undefined;
  const { width, height } = photograph.small;
  const data = Buffer.from(photograph.small.data);
  const tint = (i: number, hex: string, strength: number): void => {
    parseHex(hex).forEach((channel, k) => {
      data[i * 4 + k] = (data[i * 4 + k] ?? 0) * (1 - strength) + channel * strength;
    });
    data[i * 4 + 3] = 255;
  };
  for (let i = 0; i < width * height; i++) {
    const garment = garments.find((region) => region.mask.data[i]);
    if (garment) tint(i, TINTS[garment.slot], 0.62);
    else if (isPerson && subject.mask.data[i]) tint(i, PERSON, 0.6);
    else if (!subject.mask.data[i]) tint(i, '#f6f3ec', 0.72);
  }
  const [wide, high] = [Math.round(width * 1.6), Math.round(height * 1.6)];
  const enlarged = await rasterOf(imageOf({ data, width, height }).resize(wide, high, { kernel: 'cubic' }));
  const meta: PictureMeta = {
    regions: garments.map((region) => ({
      slot: region.slot,
      tint: TINTS[region.slot],
      area_share: Math.round(region.areaShare * 1000) / 1000,
    })),
    person: isPerson,
    subject_share: Math.round(subject.share * 1000) / 1000,
  };
  const raster = await marked(enlarged, testMark);
  return encode(raster, { kind: 'region_map', label: 'What was found where', meta });
}
