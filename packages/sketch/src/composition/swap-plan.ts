import type { EnginePicture } from '@atelier/engine';
import type { GarmentClass } from '../cutout/classify.js';
import type { Mask } from '../cutout/mask.js';
import { dominantColours } from '../cutout/dominant-colours.js';
import type { Framing } from '../dressing/framing.js';
import { shade, toHex } from '../drawing/colour.js';
import { meanColour, NEUTRAL } from './light.js';
import { cropped, imageOf, rasterOf, type Raster } from '../drawing/rasterise.js';
import { encode } from '../encode.js';
import type { Facts } from '../facts.js';
import type { Rig } from '../figure/rig.js';
import { carryOver, inPoseOf, sleevesOf } from './carry-over.js';
import type { Easel } from './draw.js';
import type { KnownSource } from './known-source.js';
import { withoutSubject } from './mend.js';
import type { Outfit } from './outfit.js';
import type { Person } from './person.js';
import { placeFrom, type Setting } from './setting.js';
import type { Canvas } from './subject.js';
import { seen, type View } from './view.js';

/** All the parts of the new picture. */
interface SwapPlan {
  readonly outfit: Outfit;
  readonly view: View;
  readonly setting: Setting;
  readonly cloth: readonly Raster[];
  /** The parts kept from the source. */
  readonly garment: EnginePicture;
  readonly garmentClasses: readonly GarmentClass[];
}

/**
 * The picture at the new height. For a wider canvas its edges are mirrored; for a narrower one its sides are
 * cut off.
 */
async function reframed(picture: Raster, { width, height }: Canvas): Promise<Raster> {
  const w = Math.round((picture.width * height) / picture.height);
  const fitted = await rasterOf(imageOf(picture).resize(w, height, { fit: 'fill' }));
  if (w >= width) return cropped(fitted, { left: Math.floor((w - width) / 2), top: 0, width, height });
  const left = Math.floor((width - w) / 2);
  return rasterOf(imageOf(fitted).extend({ left, right: width - w - left, extendWith: 'mirror' }));
}

/** The subject's mask together with the floor around the feet, where the shadow lies. */
function withShadow(mask: Mask, rig: Rig, { scale, x, y }: Framing): Mask {
  const { width, height } = mask;
  const data = new Uint8Array(mask.data);
  const feet = [rig.legs.left, rig.legs.right].map((leg) => leg.point(1, 0));
  const cx = x + (feet.reduce((sum, p) => sum + p[0], 0) / 2 + 40) * scale;
  const cy = y + (feet.reduce((sum, p) => sum + p[1], 0) / 2 + 66) * scale;
  const [rx, ry] = [190 * scale, 30 * scale];
  for (let py = Math.max(0, Math.floor(cy - ry)); py < Math.min(height, cy + ry); py++) {
    for (let px = Math.max(0, Math.floor(cx - rx)); px < Math.min(width, cx + rx); px++)
      if (((px - cx) / rx) ** 2 + ((py - cy) / ry) ** 2 < 1) data[py * width + px] = 1;
  }
  return { data, width, height };
}

/** The base wear of the new wearer under the cloth, and the body parts in front of the cloth. */
function wearing(source: KnownSource, rig: Rig, person: Person, colour: string): Outfit {
  const classes = source.garmentClasses;
  const some = (...wanted: readonly GarmentClass[]): boolean => wanted.some((one) => classes.includes(one));
  const upper = some('top', 'dress', 'outerwear') || classes.length === 0;
  const lower = some('trousers', 'shorts', 'skirt');
  const sleeves = sleevesOf(source);
  const bottoms = lower ? (some('trousers') ? 0.9 : some('shorts') ? 0.22 : 0) : some('dress') ? 0 : 0.9;
  const top = source.cloth.data.indexOf(1);
  const collar = (Math.floor(top / source.cloth.width) - source.framing.y) / source.framing.scale + 13;
  return {
    person,
    rig,
    worn: [],
    base: {
      legwear: bottoms,
      vest: !upper,
      ...(lower && bottoms > 0 ? { lining: shade(colour, -6) } : {}),
    },
    armsInFront: upper ? (sleeves === 'long' ? 'none' : 'forearms') : 'all',
    ...(sleeves === 'none' || !upper ? {} : { collar }),
    hem: 0,
  };
}

/** The cloth alone, as it lies in the source. */
async function keptCloth(
  { picture, cloth }: KnownSource,
  classes: readonly string[],
): Promise<EnginePicture> {
  const data = new Uint8Array(picture.data);
  for (let i = 0; i < cloth.data.length; i++) if (!cloth.data[i]) data[i * 4 + 3] = 0;
  const raster = { data, width: picture.width, height: picture.height };
  return encode(
    raster,
    {
      kind: 'garment_cutout',
      label: 'What stays: the garment',
      meta: { garment_classes: classes, dominant_colours: dominantColours(raster) },
    },
    { keepAlpha: true },
  );
}

/** Plans the swap for a picture with known composition: maps the cloth point by point. */
export async function planKnown(
  easel: Easel,
  source: KnownSource,
  person: Person,
  meta: Facts,
): Promise<SwapPlan> {
  const { size } = easel;
  const ratio = size.height / source.picture.height;
  const { scale, x, y } = source.framing;
  const framing = {
    scale: scale * ratio,
    x: size.width / 2 + (x - source.picture.width / 2) * ratio,
    y: y * ratio,
  };
  const rig = inPoseOf(source, person.spec);
  const view = seen(framing, source.shows);
  const garment = await keptCloth(source, source.garmentClasses);
  return {
    outfit: wearing(source, rig, { ...person, spec: rig.spec }, legColour(source)),
    view,
    setting: await settingOf(easel, source, view, meta),
    cloth: [await carryOver(source, rig, framing, size)],
    garment,
    garmentClasses: source.garmentClasses,
  };
}

/** The colour of the clothes on the legs, or of all cloth if there are none. */
function legColour({ picture, cloth, framing }: KnownSource): string {
  const { width, height } = picture;
  const only = (from: number): string | undefined => {
    const data = new Uint8Array(picture.data);
    for (let i = 0; i < cloth.data.length; i++) if (!cloth.data[i] || i < from * width) data[i * 4 + 3] = 0;
    return dominantColours({ data, width, height }, 1)[0]?.hex;
  };
  return only(Math.round(framing.y + 480 * framing.scale)) ?? only(0) ?? '#555555';
}

/**
 * The source's place. It is drawn again if its facts are known; otherwise it is the picture with the subject
 * painted over.
 */
async function settingOf(easel: Easel, source: KnownSource, view: View, meta: Facts): Promise<Setting> {
  const known = await placeFrom(meta['backdrop'], easel.size, view);
  if (known) return known.setting;
  const hole =
    view.floor === undefined ? source.subject : withShadow(source.subject, source.rig, source.framing);
  const empty = await withoutSubject(source.picture, hole);
  return reconstructed(await reframed(empty, easel.size));
}

/** A place made from a picture. */
function reconstructed(plate: Raster): Setting {
  const wall = toHex(meanColour(plate));
  return { plate, ground: { wall, wash: wall }, light: NEUTRAL, facts: { picture: true } };
}
