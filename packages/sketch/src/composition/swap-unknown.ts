import { EngineError, type EngineImage } from '@atelier/engine';
import { findPerson } from '@atelier/photo/person';
import { breathe } from '../abort.js';
import { classify } from '../cutout/classify.js';
import { lift, rounded } from '../cutout/cut-out.js';
import { dominantColours } from '../cutout/dominant-colours.js';
import type { Mask } from '../cutout/mask.js';
import { Silhouette } from '../cutout/silhouette.js';
import { clamp } from '../drawing/geometry.js';
import { openPhotograph, type Photograph } from '../reading/photograph.js';
import { findSubject, type Subject } from '../reading/subject.js';
import { drawCloth, type Easel } from './draw.js';
import { garmentFacts, type Garment } from './garment.js';
import { encode } from '../encode.js';
import { resampled, withoutSubject } from './mend.js';
import { dressPerson, type Outfit } from './outfit.js';
import type { Person } from './person.js';
import { observeSource } from './observed-source.js';
import { planKnown, reconstructed, reframed, withShadow, type SwapPlan } from './swap-plan.js';
import { standingAt, usualView, type View } from './view.js';
import type { Setting } from './setting.js';

const ADVICE =
  'Send a picture of one dressed person, seen from the front, who stands out from the background.';

/** A garment that lies or hangs by itself. */
async function lyingGarment(photograph: Photograph, mask: Mask): Promise<Garment> {
  const cut = await lift(photograph.full, await rounded(mask));
  const shape = new Silhouette(cut.mask);
  const garmentClass = classify(shape, cut.raster);
  return { name: 'source_image', cut, shape, garmentClass, colours: dominantColours(cut.raster) };
}

/** The figure stands where the garment was: as tall as the picture allows, on the garment's middle line. */
function viewLike(photograph: Photograph, { mask }: Subject, outfit: Outfit, easel: Easel): View {
  const usual = usualView(outfit, easel.size);
  const ratio = easel.size.height / photograph.small.height;
  const middle = easel.size.width / 2 + (new Silhouette(mask).centre - mask.width / 2) * ratio;
  return standingAt(usual, clamp(middle, easel.size.width * 0.35, easel.size.width * 0.65));
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
  return reconstructed(await reframed(await withoutSubject(full, hole), easel.size), true);
}

/**
 * Plans the swap for any other picture: the wearer is told from the ground and read; a garment without a wearer is put on
 * the new person as a product is.
 * @throws EngineError `bad_input` when nothing stands out, or no clothes are found
 */
export async function planUnknown(easel: Easel, source: EngineImage, person: Person): Promise<SwapPlan> {
  const photograph = await openPhotograph(source.bytes, source.name);
  const subject = findSubject(photograph);
  await breathe(easel.context.signal);
  if (subject.share < 0.02 || subject.share > 0.9)
    throw new EngineError(
      'bad_input',
      `No garment is found in source_image: nothing stands out in it. ${ADVICE}`,
    );
  if (subject.head) {
    const seen = observeSource(photograph, subject.mask, subject.head, person.spec);
    if (!seen) throw new EngineError('bad_input', `No garment is found in source_image. ${ADVICE}`);
    return planKnown(easel, seen, person, {});
  }
  // Clothes that cannot be told from their wearer would be draped on the figure with the wearer in them.
  if (await findPerson(photograph.full))
    throw new EngineError(
      'bad_input',
      `The clothes in source_image cannot be told from who wears them. ${ADVICE}`,
    );
  const main = await lyingGarment(photograph, subject.mask);
  await breathe(easel.context.signal);
  const outfit = dressPerson(person, [main]);
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
