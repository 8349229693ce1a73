import type { EngineImage } from '@atelier/engine';
import { STANCES } from '../casting/figure-spec.js';
import { clothOf } from '../composition/carry-over.js';
import { classesOf } from '../composition/known-source.js';
import { resampled } from '../composition/mend.js';
import { maskOf } from '../composition/outline.js';
import { knownPerson } from '../composition/person.js';
import { FRAMINGS } from '../composition/shot.js';
import { isSlot, SLOT_OF_CLASS, type Slot } from '../cutout/classify.js';
import { bounds } from '../cutout/cut-out.js';
import { erode, type Mask } from '../cutout/mask.js';
import type { Raster } from '../drawing/rasterise.js';
import type { Photograph } from './photograph.js';
import { shareOf, type GarmentRegion, type Reading } from './regions.js';

type Facts = Readonly<Record<string, unknown>>;

const record = (value: unknown): Facts =>
  // A picture's meta is foreign data: each field is checked where it is read.
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Facts) : {};

/** Figures are drawn nine heads tall. */
const HEADS = 9;

interface Outlined {
  readonly slot: Slot;
  readonly mask: Mask;
}

/** The outlines of single things. If an earlier release kept none, the outline of the only garment. */
async function outlined(meta: Facts, { full }: Photograph): Promise<Outlined[]> {
  const outlines = record(meta['silhouettes']);
  const cloth = await maskOf(outlines['cloth'], full.width, full.height);
  const [only, ...others] = classesOf(meta);
  const names = Object.keys(outlines).filter((name) => name.startsWith('worn.'));
  if (names.length === 0 && only && others.length === 0 && cloth)
    return [{ slot: SLOT_OF_CLASS[only], mask: cloth }];
  const found: Outlined[] = [];
  for (const name of names) {
    const slot = name.split('.')[2];
    const mask = (await maskOf(outlines[name], full.width, full.height)) ?? cloth;
    if (isSlot(slot) && mask) found.push({ slot, mask });
  }
  return found;
}

function cropped({ data, width }: Raster, mask: Mask): Raster {
  const box = bounds(mask, 3);
  const out = new Uint8Array(box.width * box.height * 4);
  for (let y = 0; y < box.height; y++) {
    const from = ((y + box.top) * width + box.left) * 4;
    out.set(data.subarray(from, from + box.width * 4), y * box.width * 4);
  }
  return { data: out, width: box.width, height: box.height };
}

/** Reads a picture that this engine composed; undefined for any other. */
export async function readDrawn(
  { meta = {}, name }: EngineImage,
  photograph: Photograph,
): Promise<Reading | undefined> {
  const { full, small } = photograph;
  const [view, outlines] = [record(meta['view']), record(meta['silhouettes'])];
  const shows = FRAMINGS.find((one) => one === view['framing']);
  const whole = await maskOf(outlines['subject'], small.width, small.height);
  const { scale, x } = view;
  if (!shows || !whole || typeof scale !== 'number' || typeof x !== 'number') return undefined;
  const nothing = { data: new Uint8Array(full.width * full.height), width: full.width, height: full.height };
  const front = (await maskOf(outlines['front'], full.width, full.height)) ?? nothing;
  const middle = full.width / 2 + x * full.height;
  const garments = (await outlined(meta, photograph)).map(({ slot, mask }): GarmentRegion => {
    // The outline has a precision of a thousandth, so it may include a line of the background.
    const inner = erode(mask, Math.max(1, Math.round(full.height / 900)));
    const cut = async (): Promise<Raster> => cropped(await clothOf(full, inner, front, middle), inner);
    return { slot, mask: resampled(mask, small.width, small.height), areaShare: shareOf(mask), cut };
  });
  const person = knownPerson(meta);
  const stance = STANCES.find((one) => one === record(meta['wearer'])['stance']);
  const worn = 'cloth' in outlines;
  return {
    photograph,
    subject: {
      mask: whole,
      share: shareOf(whole),
      plainGround: !('scene' in record(meta['backdrop'])) && !('picture' in record(meta['backdrop'])),
    },
    garments: garments.sort((p, q) => q.areaShare - p.areaShare),
    figure: { ...(person && { person }), ...(stance && { stance }), shows, head: scale / HEADS },
    refusal: worn
      ? `${name} does not tell where each of its garments lies. Send the picture of a single one.`
      : `${name} shows a model without a garment. Send a picture of one who wears it, or of the garment by itself.`,
  };
}
