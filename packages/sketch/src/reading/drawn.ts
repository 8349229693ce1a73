import type { EngineImage } from '@atelier/engine';
import { STANCES } from '../casting/figure-spec.js';
import { clothOf } from '../composition/carry-over.js';
import { classesOf } from '../composition/known-source.js';
import { resampled } from '../composition/mend.js';
import { maskOf } from '../composition/outline.js';
import { knownPerson } from '../composition/person.js';
import { FRAMINGS } from '../composition/shot.js';
import { isSlot, SLOT_OF_CLASS, type Slot } from '../cutout/classify.js';
import { bounds, erode, shareOf, type Mask } from '../cutout/mask.js';
import { cropped, type Raster } from '../drawing/rasterise.js';
import { factsIn, type Facts } from '../facts.js';
import type { Photograph } from './photograph.js';
import type { GarmentRegion, Reading } from './regions.js';

/** Figures are drawn nine heads tall. */
const HEADS = 9;

interface Outlined {
  readonly slot: Slot;
  readonly mask: Mask;
}

/** The outlines of single things. If an earlier release kept none, the outline of the only garment. */
async function outlined(meta: Facts, { full }: Photograph): Promise<Outlined[]> {
  const outlines = factsIn(meta['silhouettes']);
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

/** Reads a picture that this engine composed; undefined for any other. */
export async function readDrawn(
  { meta = {}, name }: EngineImage,
  photograph: Photograph,
): Promise<Reading | undefined> {
  const { full, small } = photograph;
  const [view, outlines] = [factsIn(meta['view']), factsIn(meta['silhouettes'])];
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
    const cut = async (): Promise<Raster> =>
      cropped(await clothOf(full, inner, front, middle), bounds(inner, 3));
    return { slot, mask: resampled(mask, small.width, small.height), areaShare: shareOf(mask), cut };
  });
  const person = knownPerson(meta);
  const stance = STANCES.find((one) => one === factsIn(meta['wearer'])['stance']);
  const worn = 'cloth' in outlines;
  return {
    photograph,
    subject: {
      mask: whole,
      share: shareOf(whole),
      plainGround: !('scene' in factsIn(meta['backdrop'])) && !('picture' in factsIn(meta['backdrop'])),
    },
    garments: garments.sort((p, q) => q.areaShare - p.areaShare),
    figure: { ...(person && { person }), ...(stance && { stance }), shows, head: scale / HEADS },
    refusal: worn
      ? `${name} does not tell where each of its garments lies. Send the picture of a single one.`
      : `${name} shows a model without a garment. Send a picture of one who wears it, or of the garment by itself.`,
  };
}
