import { EngineError, type EngineImage } from '../../image-engine.js';
import { breathe } from '../abort.js';
import { classFromWords, classify, legGap, type GarmentClass } from '../cutout/classify.js';
import { lift, rounded } from '../cutout/cut-out.js';
import { dominantColours } from '../cutout/dominant-colours.js';
import type { Mask } from '../cutout/mask.js';
import { Silhouette } from '../cutout/silhouette.js';
import type { Raster } from '../drawing/rasterise.js';
import { openPhotograph, type Photograph } from '../reading/photograph.js';
import { wornGarments, type Slot } from '../reading/garments.js';
import { findSubject, type Subject } from '../reading/subject.js';
import { readWearer } from '../reading/wearer.js';
import { drawCloth, type Easel } from './draw.js';
import { garmentFacts, type Garment } from './garment.js';
import { encode } from '../encode.js';
import { meanColour, ambientTint } from './light.js';
import { resampled, withoutSubject } from './mend.js';
import { dressPerson, type Outfit } from './outfit.js';
import type { Person } from './person.js';
import { observeSource } from './observed-source.js';
import { planKnown, reframed, withShadow, type SwapPlan } from './swap-plan.js';
import type { View } from './view.js';
import type { Setting } from './setting.js';

const ADVICE =
  'Send a picture of one dressed person, seen from the front, who stands out from the background.';

/** A piece of clothing as it is seen on its wearer, with its place on the body. */
interface Piece {
  readonly mask: Mask;
  readonly slot?: Slot;
}

/** The clothes that can be put on somebody else; without a wearer the subject is a garment by itself. */
function clothesOf({ planes }: Photograph, { mask, head }: Subject): Piece[] {
  if (!head) return [{ mask }];
  const wearable: readonly Slot[] = ['upper', 'lower', 'one_piece', 'outer'];
  return wornGarments(planes, mask, readWearer(planes, mask, head)).filter(({ slot }) =>
    wearable.includes(slot),
  );
}

/** What a place on the body makes of a garment; the silhouette decides where the place leaves a choice. */
function classOf(slot: Slot | undefined, shape: Silhouette, seen: GarmentClass): GarmentClass {
  switch (slot) {
    case 'outer':
      return 'outerwear';
    case 'one_piece':
      return 'dress';
    case 'upper':
      return seen === 'outerwear' || seen === 'dress' ? seen : 'top';
    case 'lower':
      return legGap(shape) > 0.25 ? (shape.height / shape.width > 1.2 ? 'trousers' : 'shorts') : 'skirt';
    default:
      return seen;
  }
}

async function asGarment(
  photograph: Photograph,
  { mask, slot }: Piece,
  index: number,
  told: GarmentClass | undefined,
): Promise<Garment> {
  const cut = await lift(photograph.full, await rounded(mask));
  const shape = new Silhouette(cut.mask);
  const garmentClass = told ?? classOf(slot, shape, classify(shape, cut.raster));
  return { name: `garment-${index}`, cut, shape, garmentClass, colours: dominantColours(cut.raster) };
}

/** The figure stands where the subject stood: as tall, on the same middle line, cropped where it was cropped. */
function viewLike(photograph: Photograph, subject: Subject, outfit: Outfit, { size }: Easel): View {
  const { mask, head } = subject;
  const ratio = size.height / photograph.small.height;
  const [top, bottom] = [
    Math.floor(mask.data.indexOf(1) / mask.width),
    Math.floor(mask.data.lastIndexOf(1) / mask.width),
  ];
  const crown = head ? Math.max(top, head.chin - head.unit) : top;
  const whole = bottom < mask.height * 0.985;
  // A drawn figure has nine heads to a photographed person's seven and a half; cropped, it keeps the size of the head's share.
  const tall = whole ? bottom - crown : Math.max(bottom - crown, (head?.unit ?? (bottom - crown) / 5) * 7.5);
  const scale = (tall * ratio) / 895;
  const middle = head ? head.x : new Silhouette(mask).centre;
  const framing = {
    scale,
    x: size.width / 2 + (middle - mask.width / 2) * ratio,
    y: crown * ratio - 6 * scale,
  };
  const shows = whole ? 'full' : outfit.hem > 600 ? 'three_quarter' : 'half';
  return { framing, shows, ...(whole ? { floor: framing.y + 892 * scale } : {}) };
}

/** The photograph's place without the subject, in the new size. */
async function emptied(
  photograph: Photograph,
  subject: Subject,
  outfit: Outfit,
  view: View,
  easel: Easel,
): Promise<Setting> {
  const { full } = photograph;
  const back = full.height / easel.size.height;
  const framing = {
    scale: view.framing.scale * back,
    x: full.width / 2 + (view.framing.x - easel.size.width / 2) * back,
    y: view.framing.y * back,
  };
  const mask = resampled(subject.mask, full.width, full.height);
  const hole = view.floor === undefined ? mask : withShadow(mask, outfit.rig, framing);
  const plate: Raster = await reframed(await withoutSubject(full, hole), easel.size);
  const mean = meanColour(plate);
  const wall = `#${mean.map((c) => Math.round(c).toString(16).padStart(2, '0')).join('')}`;
  return {
    plate,
    ground: { wall, wash: wall },
    light: { from: [0, 0], contrast: 0, tint: ambientTint(mean) },
    facts: { picture: true },
  };
}

/**
 * Plans the swap for any other picture: the wearer is told from the ground, the clothes from skin and hair; then the new
 * person is dressed in what was found as in a photographed garment.
 * @throws EngineError `bad_input` when no person or no clothes are found
 */
export async function planUnknown(easel: Easel, source: EngineImage, person: Person): Promise<SwapPlan> {
  const photograph = await openPhotograph(source.bytes, source.name);
  const subject = findSubject(photograph);
  await breathe(easel.context.signal);
  if (subject.share < 0.02 || subject.share > 0.9)
    throw new EngineError(
      'bad_input',
      `No garment is found in source_image: nobody stands out in it. ${ADVICE}`,
    );
  if (subject.head) {
    const seen = observeSource(photograph, subject.mask, subject.head, person.spec);
    if (!seen) throw new EngineError('bad_input', `No garment is found in source_image. ${ADVICE}`);
    return planKnown(easel, seen, person, {});
  }
  const pieces = clothesOf(photograph, subject);
  if (pieces.length === 0)
    throw new EngineError('bad_input', `No garment is found in source_image. ${ADVICE}`);
  const told = pieces.length === 1 ? classFromWords(easel.request.parameters) : undefined;
  const garments: Garment[] = [];
  for (const [index, piece] of pieces.entries())
    garments.push(await asGarment(photograph, piece, index, told));
  const [main] = garments;
  if (!main) throw new EngineError('bad_input', `No garment is found in source_image. ${ADVICE}`);
  await breathe(easel.context.signal);
  const outfit = dressPerson(person, garments);
  const view = viewLike(photograph, subject, outfit, easel);
  const setting = await emptied(photograph, subject, outfit, view, easel);
  const garment = await encode(
    main.cut.raster,
    { kind: 'garment_cutout', label: 'What stays: the garment', meta: garmentFacts(main) },
    { keepAlpha: true },
  );
  return {
    outfit,
    view,
    setting,
    cloth: await drawCloth(easel, outfit, view),
    garment,
    garmentClasses: outfit.worn.map(({ fit }) => fit.garmentClass),
  };
}
