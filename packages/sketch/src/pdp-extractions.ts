import {
  EngineError,
  type EnginePicture,
  type PartFailure,
  type PartFailureCode,
  type Renderer,
  type RenderRequest,
} from '@atelier/engine';
import { breathe } from './abort.js';
import { garmentPicture, namedGarment } from './reading/garment-picture.js';
import { personPicture } from './reading/person-picture.js';
import { emptyPlate, platePicture } from './reading/plate.js';
import { readPhotograph, requiredInput } from './reading/reading.js';
import type { Reading } from './reading/regions.js';
import { recipePicture } from './reading/recipe-card.js';
import { readRecipe } from './reading/recipe.js';
import { regionMap } from './reading/region-map.js';
import { MODEL } from './model.js';

/** In the order of the results. The gallery shows the first arm that has one. */
const ARMS = ['garment', 'person', 'background', 'recipe'] as const;
type Arm = (typeof ARMS)[number];

export interface PdpExtractionsOrder {
  readonly product_name?: string;
  /** The service sets this for a photograph of a batch. If absent, all arms are extracted. */
  readonly arms?: readonly Arm[];
  /** The service sets this if a test requests a partial outcome. Then the person is not found. */
  readonly test_partial?: boolean;
}

type PdpRequest = RenderRequest<PdpExtractionsOrder>;

export type Outcome = { readonly picture: EnginePicture } | { readonly failure: PartFailure };

/**
 * Skin and hair can be measured, but not a person's identity. A drawing of another person would be sold as this
 * person.
 */
export const UNREAD_PERSON =
  'This engine cannot read who is on the picture, and draws nobody whom it does not know. Name a picture of a model that was generated here, or an image model that reads photographs.';

const failed = (arm: Arm, code: PartFailureCode, message: string): Outcome => ({
  failure: { arm, code, message },
});

/**
 * The product alone, without other clothes. It is the piece that the product's name means, otherwise the
 * largest.
 */
async function garmentArm(reading: Reading, request: PdpRequest): Promise<Outcome> {
  const { garments } = reading;
  const { product_name: productName } = request.body;
  const slots = garments.map((region) => region.slot);
  const named = namedGarment(productName, undefined, slots);
  const product = garments[named] ?? garments[0];
  if (!product) {
    const code = reading.person ? 'VISION_MODEL_REQUIRED' : 'NO_GARMENT_FOUND';
    return failed('garment', code, reading.refusal);
  }
  const label = garments[named] ? productName : undefined;
  const sheet = { kind: 'garment', ground: 'white', label, testMark: request.testMark } as const;
  return { picture: await garmentPicture(reading, product, sheet) };
}

async function personArm(reading: Reading, request: PdpRequest): Promise<Outcome> {
  if (request.body.test_partial)
    return failed('person', 'TEST_OUTCOME', 'The test key asked for a partial outcome.');
  if (reading.figure?.person)
    return { picture: await personPicture(reading.figure.person, request.testMark) };
  if (reading.person ?? reading.figure) return failed('person', 'VISION_MODEL_REQUIRED', UNREAD_PERSON);
  return failed(
    'person',
    'NO_PERSON_FOUND',
    'No head can be seen in the photograph: a flat-lay or a close crop has no model.',
  );
}

/**
 * A person's outline is never certain. Remains of the person at its edge would be sold as a part of the place.
 */
export const UNREAD_PLACE =
  'This engine takes nobody who was photographed out of a place. Send a photograph of the place without a person, or name an image model that reads photographs.';

async function backgroundArm(reading: Reading, request: PdpRequest): Promise<Outcome> {
  const { subject, photograph, person } = reading;
  if (person) return failed('background', 'VISION_MODEL_REQUIRED', UNREAD_PLACE);
  if (subject.share === 0 && !subject.plainGround)
    return failed(
      'background',
      'NO_BACKGROUND_FOUND',
      'The subject cannot be told from the background well enough to be taken out.',
    );
  const plate = await emptyPlate(photograph, subject);
  if (!plate)
    return failed(
      'background',
      'NO_BACKGROUND_FOUND',
      'The subject fills the frame: too little ground is left to go on.',
    );
  return { picture: await platePicture(plate, subject, 'Empty background', request.testMark) };
}

/** The recipe of an empty picture is useless. */
async function recipeArm(reading: Reading, request: PdpRequest): Promise<Outcome> {
  if (reading.person)
    return failed(
      'recipe',
      'VISION_MODEL_REQUIRED',
      'This engine measures light, crop and pose of products on a plain ground and of pictures that it drew itself, not of people who were photographed.',
    );
  if (reading.garments.length === 0 && !reading.figure)
    return failed(
      'recipe',
      'NO_SUBJECT_FOUND',
      'Without a subject there is no light on it, no crop and no pose to measure.',
    );
  return { picture: await recipePicture(reading, readRecipe(reading), request.testMark) };
}

const RUN: Readonly<Record<Arm, (reading: Reading, request: PdpRequest) => Promise<Outcome>>> = {
  garment: garmentArm,
  person: personArm,
  background: backgroundArm,
  recipe: recipeArm,
};

/**
 * Splits one product photograph into garment, person, background and recipe. An arm without a result counts as
 * a failure of that arm and does not affect the others.
 * @throws EngineError `bad_input` when there is no picture, `no_image` when no arm has a result and none was
 * left out
 */
export const pdpExtractions: Renderer<PdpExtractionsOrder> = async (request, context) => {
  const input = requiredInput(request.inputs, 'pdp_image', 'one photograph of a product page');
  const reading = await readPhotograph(input);
  await breathe(context.signal);
  await context.onStage({
    stage: 'regions',
    message:
      (reading.person ?? reading.figure)
        ? 'A person, what is worn and the ground are told apart'
        : 'Subject and ground are told apart',
    pictures: [await regionMap(reading, request.testMark)],
  });
  const pictures: EnginePicture[] = [];
  const failures: PartFailure[] = [];
  const { arms: wanted = ARMS } = request.body;
  for (const arm of ARMS.filter((one) => wanted.includes(one))) {
    await breathe(context.signal);
    const outcome = await RUN[arm](reading, request);
    if ('failure' in outcome) failures.push(outcome.failure);
    else pictures.push(outcome.picture);
  }
  // A photograph of a batch that is read for some arms only may have no result, because its other results come
  // from elsewhere.
  if (pictures.length === 0 && wanted.length === ARMS.length) {
    const why = failures.map((failure) => failure.message).join(' ');
    throw new EngineError(
      'no_image',
      `The photograph gave nothing. ${why} Send a photograph of the product by itself on a plain background.`,
    );
  }
  const missing = failures.map((failure) => failure.arm).join(', ');
  return {
    pictures,
    failures,
    message: missing ? `Read, without: ${missing}` : 'Garment, person, background and recipe are read',
    model: MODEL,
  };
};
