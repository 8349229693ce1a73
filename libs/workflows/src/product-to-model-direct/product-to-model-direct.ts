import type { Brief, BriefInput } from '@atelier/engine';
import { IdField, PictureField } from '#validation/fields.js';
import { exactlyOneOf, given, Relations } from '#validation/relations.js';
import {
  formatOf,
  garmentFidelity,
  garmentInput,
  identity,
  naturalCloth,
  neverAdded,
  noBeautifying,
  onePicture,
  onlyTheGarment,
  photograph,
  sentences,
  type BriefFacts,
} from '../briefing.js';
import { personInput } from '../casting-words.js';
import {
  CommonFields,
  exampleId,
  exampleStorageKey,
  OutputPresetField,
  StorageKeyField,
  type OutputPreset,
} from '../common-fields.js';
import { defineWorkflow, type Reference } from '../define-workflow.js';
import { sceneInput } from '../scene-words.js';

@Relations(exactlyOneOf(given('product_image_s3_key'), given('product_id')))
export class ProductToModelDirectBody extends CommonFields {
  @StorageKeyField({
    description: 'The garment: the `upload_key` of an upload. Exactly one of this and product_id.',
  })
  product_image_s3_key?: string;

  @IdField({
    description: 'The garment: a product of yours. Exactly one of this and product_image_s3_key.',
    choices: '/v1/products',
  })
  product_id?: string;

  @PictureField({ description: 'The person: an uploaded asset, or the job that made the picture.' })
  model_image_public_id?: string;

  @PictureField({ description: 'The scene: an uploaded asset, or the job that made the picture.' })
  background_image_public_id?: string;

  @OutputPresetField({ otherwise: ', unless aspect_ratio says otherwise' })
  output_preset?: OutputPreset;
}

export const productOnModel = {
  product_image_s3_key: exampleStorageKey,
  output_preset: 'portrait',
  seed: 7,
} as const;

const productReferences = [
  { field: 'product_image_s3_key', by: 'storage-key', input: 'product_image' },
  { field: 'product_id', by: 'product', input: 'product_image' },
  { field: 'model_image_public_id', by: 'picture', input: 'model_image', tells: 'person' },
  { field: 'background_image_public_id', by: 'picture', input: 'background_image' },
] as const satisfies readonly Reference[];

export const productToModelDirect = defineWorkflow({
  name: 'product-to-model-direct',
  jobType: 'PRODUCT_TO_MODEL_DIRECT',
  opClass: 'compose',
  credits: 10,
  summary: 'Set the garment of a product photograph on a model',
  body: ProductToModelDirectBody,
  examples: {
    upload: productOnModel,
    product: { product_id: exampleId, model_image_public_id: exampleId },
  },
  references: productReferences,
  brief: productOnModelBrief,
});

/** The inputs of a product on a model, with the sentences about them. */
export function productInputs({ body, pictures }: BriefFacts<ProductToModelDirectBody>) {
  const wearer = 'the person who wears it. Take face, hair, skin and body from here, and not the clothes.';
  return {
    product: garmentInput(pictures, 'product_image', 'the product: the garment to wear.'),
    person:
      body.model_image_public_id === undefined ? undefined : personInput(pictures, 'model_image', wearer),
    scene:
      body.background_image_public_id === undefined ? undefined : sceneInput(pictures, 'background_image'),
  };
}

export const oneProduct = sentences(
  'The product is the hero: it is seen whole and unobstructed, true in colour and detail.',
  'Whatever else is worn is plain, neutral and subordinate to it.',
);

function productOnModelBrief(facts: BriefFacts<ProductToModelDirectBody>): Brief {
  const { product, person, scene } = productInputs(facts);
  const inputs: BriefInput[] = [product, person, scene].filter((each) => each !== undefined);
  const imageOf = (one: BriefInput) => `image ${inputs.indexOf(one) + 1}`;
  return onePicture({
    name: 'on_model',
    task: 'product_to_model',
    instruction: sentences(
      `Photograph ${person ? `the person of ${imageOf(person)}` : 'an adult fashion model whom the garment suits'} wearing the garment of image 1, for the page of an online shop.`,
      oneProduct,
      'The model stands relaxed, turned to the camera, framed so that the whole garment is in the picture.',
      scene
        ? `The place is that of ${imageOf(scene)}: the person stands on its ground in a plausible size, lit as it is lit, with a contact shadow.`
        : 'The background is a plain, softly lit studio backdrop in a light neutral colour.',
      naturalCloth,
      photograph,
    ),
    inputs,
    keep: [
      garmentFidelity,
      ...(person ? [identity] : []),
      ...(scene ? [`the architecture, materials and colours of the place of ${imageOf(scene)}`] : []),
    ],
    avoid: [
      ...(person ? [noBeautifying] : ['resemble a celebrity or any other real public person']),
      'redesign, recolour, simplify or embellish the product',
      onlyTheGarment,
      ...neverAdded,
    ],
    ...formatOf(facts.body, '4:5'),
    gives: { kind: 'on_model_render', label: facts.displayName || 'On model', role: 'final', meta: {} },
  });
}
