import {
  EngineError,
  type EngineImage,
  type PictureMeta,
  type Renderer,
  type RenderRequest,
} from '@atelier/engine';
import { breathe } from './abort.js';
import { canvasSize, drawnSize } from './canvas-size.js';
import {
  drawCloth,
  drawFigure,
  finished,
  ground,
  inLight,
  inputOf,
  progress,
  report,
  type Drawn,
  type Easel,
} from './composition/draw.js';
import { pictureFacts } from './composition/facts.js';
import {
  garmentFacts,
  garmentSide,
  pictureOfCutOut,
  readGarment,
  type Garment,
} from './composition/garment.js';
import { lightPlace, times, type Light } from './composition/light.js';
import { dressPerson, type Outfit } from './composition/outfit.js';
import { personFrom } from './composition/person.js';
import { directed } from './composition/pose.js';
import { EYES, placeFor, studio, type Place, type Setting } from './composition/setting.js';
import { readShot, type ShotRecipe } from './composition/shot.js';
import { dressed, undressed } from './composition/subject.js';
import { viewOf, type View } from './composition/view.js';
import { MODEL } from './model.js';

export interface CatalogShotsOrder {
  readonly garment_image_asset_refs: readonly string[];
  readonly product_title: string;
  readonly model_preset_id: string;
  readonly background_preset_id: string;
  readonly shot_preset_id: string;
  readonly quality?: 'medium' | 'high';
}

/** The catalogue's format is fixed; `quality: high` doubles its sides. */
function catalogueSize({ quality }: CatalogShotsOrder): Pick<Easel, 'asked' | 'size'> {
  const resolution = quality === 'high' ? '2K' : '1K';
  const asked = canvasSize({ aspect_ratio: '2:3', resolution }, '2:3');
  return { asked, size: drawnSize(asked) };
}

/** The fields of the order, unchanged. */
const echo = (body: CatalogShotsOrder): PictureMeta => ({
  garment_image_asset_refs: body.garment_image_asset_refs,
  model_preset_id: body.model_preset_id,
  background_preset_id: body.background_preset_id,
  shot_preset_id: body.shot_preset_id,
  product_title: body.product_title,
});

const garmentInputs = ({ inputs }: RenderRequest<unknown>): EngineImage[] =>
  inputs
    .filter(({ name }) => /^garment-\d+$/.test(name))
    .sort((a, b) => Number(a.name.slice(8)) - Number(b.name.slice(8)));

async function takeGarments(easel: Easel, title: string): Promise<[Garment, ...Garment[]]> {
  const { request, context, size } = easel;
  const inputs = garmentInputs(request);
  const garments: Garment[] = [];
  for (const input of inputs) {
    // The title names the whole product, so it is only used if there is a single garment.
    const words = inputs.length === 1 ? title : '';
    garments.push(await readGarment(input, garmentSide(size.resolution), words));
    await breathe(context.signal);
  }
  const [first, ...more] = garments;
  if (!first)
    throw new EngineError('bad_input', 'No garment is given. Name at least one in garment_image_asset_refs.');
  const message = `Cut out: ${garments.map(({ garmentClass }) => garmentClass).join(', ')}`;
  await report(easel, 'garment_cutouts', message, ...(await Promise.all(garments.map(pictureOfCutOut))));
  return [first, ...more];
}

async function placeOf(easel: Easel, view: View, shot: ShotRecipe): Promise<Place> {
  const { request, size } = easel;
  const given = inputOf(request, 'background');
  const place = given
    ? await placeFor(given, request.seed, size, view, EYES[shot.cameraHeight])
    : { setting: await studio(request.seed, size, view.floor), view };
  lightPlace(place.setting.plate, shot.light);
  return place;
}

/** The recipe's light in the place's colours. */
const lightIn = (setting: Setting, { light }: ShotRecipe): Light => ({
  ...light,
  tint: times(light.tint, setting.light.tint),
});

async function factsOf(
  easel: Easel,
  body: CatalogShotsOrder,
  garments: readonly [Garment, ...Garment[]],
  outfit: Outfit,
  view: View,
  drawn: Drawn,
): Promise<PictureMeta> {
  return {
    ...echo(body),
    ...(await pictureFacts(easel, garments[0], outfit, view, drawn)),
    garments: garments.map((garment) => ({
      ...garmentFacts(garment),
      worn: outfit.worn.some((one) => one.garment === garment),
    })),
  };
}

/**
 * Composes `garment-0`, `garment-1`, … onto the person of `model`, in the place of `background`, with the
 * camera of `shot`. Always 2:3. The picture's meta names presets by their ids only, without their specs.
 * @throws EngineError `bad_input` when there is no garment, or a picture cannot be read, or no garment stands
 * out in it
 */
export const catalogShots: Renderer<CatalogShotsOrder> = async (request, context) => {
  const { body } = request;
  const easel: Easel = { request, context, ...catalogueSize(body) };
  const garments = await takeGarments(easel, body.product_title);
  const shot = readShot(inputOf(request, 'shot')?.meta);
  const person = personFrom(inputOf(request, 'model'), {}, request.seed);
  const outfit = dressPerson(directed(person, shot), garments);
  const { setting, view } = await placeOf(easel, viewOf(outfit, shot, easel.size), shot);
  await breathe(context.signal);
  const place = await ground(easel, setting, outfit, view);
  const figure = await drawFigure(easel, outfit, view);
  const posed = await progress(easel, [...place, ...undressed(figure)], {
    kind: 'figure',
    label: 'The model, posed in the place',
    // A preset's recipe is not shown.
    meta: {},
  });
  await report(easel, 'figure_posed', 'The model stands as the shot asks', posed);
  const cloth = await drawCloth(easel, outfit, view);
  const subject = await inLight(easel, dressed(figure, cloth), lightIn(setting, shot), view);
  const picture = await finished(easel, [...place, ...subject], {
    kind: 'catalog_image',
    label: request.displayName || body.product_title,
    meta: await factsOf(easel, body, garments, outfit, view, { figure, cloth }),
  });
  const worn = outfit.worn.map(({ fit }) => fit.garmentClass).join(' and ');
  return { pictures: [picture], message: `The ${worn} is taken as the shot asks`, model: MODEL };
};
