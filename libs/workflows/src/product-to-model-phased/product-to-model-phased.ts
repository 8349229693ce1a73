import type { Brief, BriefInput } from '@atelier/engine';
import {
  formatOf,
  garmentFidelity,
  identity,
  made,
  naturalCloth,
  neverAdded,
  onlyTheGarment,
  photograph,
  pictureOrder,
  pose,
  sentences,
  type BriefFacts,
} from '../briefing.js';
import { defineWorkflow } from '../define-workflow.js';
import {
  ProductToModelDirectBody,
  oneProduct,
  productInputs,
  productOnModel,
  productToModelDirect,
} from '../product-to-model-direct/product-to-model-direct.js';

/** The same order, shown phase by phase. */
export class ProductToModelPhasedBody extends ProductToModelDirectBody {}

export const productToModelPhased = defineWorkflow({
  ...productToModelDirect,
  name: 'product-to-model-phased',
  jobType: 'PRODUCT_TO_MODEL_PHASED',
  summary:
    'Set the garment of a product photograph on a model in phases, each with a stage and a picture of its own',
  body: ProductToModelPhasedBody,
  examples: { upload: productOnModel },
  brief: (facts) => ({ steps: [dressedOrder(facts), placedOrder(facts)] }) satisfies Brief,
});

/** Dressed first, where nothing distracts from the fit. */
function dressedOrder(facts: BriefFacts<ProductToModelPhasedBody>) {
  const { product, person } = productInputs(facts);
  const inputs: BriefInput[] = [product, ...(person ? [person] : [])];
  return pictureOrder({
    name: 'dressed',
    task: 'product_to_model',
    instruction: sentences(
      `Photograph ${person ? 'the person of image 2' : 'an adult fashion model whom the garment suits'} wearing the garment of image 1.`,
      oneProduct,
      'The model stands relaxed, turned to the camera, from head to feet, before a plain light-grey studio backdrop in even soft light.',
      naturalCloth,
      photograph,
    ),
    inputs,
    keep: [garmentFidelity, ...(person ? [identity] : [])],
    avoid: ['redesign, recolour, simplify or embellish the product', onlyTheGarment, ...neverAdded],
    ...formatOf(facts.body, '4:5'),
    gives: {
      kind: 'dressed_figure',
      label: 'The figure, dressed',
      role: 'intermediate',
      stage: 'dressed',
      meta: {},
    },
  });
}

/**
 * The second phase adds the place. It gets the product's picture again, so that no details are lost from copy to copy.
 */
function placedOrder(facts: BriefFacts<ProductToModelPhasedBody>) {
  const { product, scene } = productInputs(facts);
  const place = scene
    ? 'Set the person of image 1 into the place of image 3, standing on its ground in a plausible size.'
    : 'Set the person of image 1 into a place that suits the garment: a quiet, softly lit interior or street, a little out of focus.';
  return pictureOrder({
    name: 'placed',
    task: 'background_swap',
    instruction: sentences(
      place,
      'Light the person as the place is lit, match colour temperature and contrast, and put a contact shadow under the feet.',
      'Where the garment of image 1 has lost a detail of the product in image 2, restore it.',
      photograph,
    ),
    inputs: [
      made('dressed', 'person', 'the dressed person.'),
      { ...product, part: 'the product as it really is, for its details.' },
      ...(scene ? [scene] : []),
    ],
    keep: [
      identity,
      pose,
      garmentFidelity,
      ...(scene ? ['the architecture, materials and colours of the place of image 3'] : []),
    ],
    avoid: ['change the outfit', 'leave an outline, halo or fringe around the person', ...neverAdded],
    ...formatOf(facts.body, '4:5'),
    gives: { kind: 'on_model_render', label: facts.displayName || 'On model', role: 'final', meta: {} },
  });
}
