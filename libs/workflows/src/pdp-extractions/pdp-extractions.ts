import type {
  Brief,
  BriefStep,
  MissingPart,
  PartFailureCode,
  PictureOrder,
  ReadingOrder,
  StepName,
} from '@atelier/engine';
import { PictureField, TextField } from '#validation/fields.js';
import {
  input,
  isKnown,
  neverAdded,
  noText,
  photograph,
  pictureOrder,
  sentences,
  type BriefFacts,
  type Known,
} from '../briefing.js';
import { ageRanges, bodyTypes, genders } from '../casting-words.js';
import { DispatchBody, exampleId } from '../common-fields.js';
import { defineWorkflow, valuesOf } from '../define-workflow.js';
import { shotSchema, strictObject } from '../shot-words.js';

export function PhotographField(): PropertyDecorator {
  return PictureField({ description: 'The photograph: an uploaded asset.', required: true });
}

export function ProductNameField(): PropertyDecorator {
  return TextField({
    description: 'The name of the product.',
    min: 1,
    max: 200,
    example: 'Linen midi skirt',
  });
}

export class PdpExtractionsBody extends DispatchBody {
  @PhotographField()
  pdp_image_public_id: string;

  @ProductNameField()
  product_name?: string;
}

export const pdpExtractions = defineWorkflow({
  name: 'pdp-extractions',
  jobType: 'PDP_EXTRACTION',
  opClass: 'extract',
  credits: 4,
  summary: 'Read a product-page photograph back into background, person, garment and photography recipe',
  body: PdpExtractionsBody,
  examples: { photograph: { pdp_image_public_id: exampleId, product_name: 'Linen midi skirt' } },
  references: [{ field: 'pdp_image_public_id', by: 'picture', input: 'pdp_image' }],
  brief: photographBrief,
});

const pdpPhoto = input('pdp_image', 'photograph', 'the product photograph to take apart.');

/** In the order of the result: the gallery shows the first arm that gave a picture. */
const arms = ['garment', 'person', 'background', 'recipe'] as const;
type Arm = (typeof arms)[number];

const absent: Readonly<Record<Arm, readonly [code: PartFailureCode, message: string]>> = {
  garment: ['NO_GARMENT_FOUND', 'The photograph shows no garment that can be told apart.'],
  person: ['NO_PERSON_FOUND', 'The photograph shows no person: a flat-lay or a close crop has no model.'],
  background: ['NO_BACKGROUND_FOUND', 'The subject fills the frame: too little ground is left to go on.'],
  recipe: ['NO_SUBJECT_FOUND', 'Without a subject there is no light on it, no crop and no pose to read.'],
};

const missing = (arm: Arm): MissingPart => ({
  kind: 'missing',
  name: arm,
  code: absent[arm][0],
  message: absent[arm][1],
});

/** A picture model would invent a person for a flat-lay, and cannot measure: these arms need a reader. */
const unread = (arm: Arm): MissingPart => ({
  kind: 'missing',
  name: arm,
  code: 'VISION_MODEL_REQUIRED',
  message: `The ${arm} was not read: this installation has no vision model that can look at photographs.`,
});

/** A reader first describes the photograph and how it was taken. Then its parts are drawn. */
function photographBrief({ body, arms: wanted = arms }: BriefFacts<PdpExtractionsBody>): Brief {
  const asked = arms.filter((arm) => wanted.includes(arm));
  const { product_name: product } = body;
  const reading: ReadingOrder = {
    kind: 'reading',
    name: 'photograph',
    inputs: [pdpPhoto],
    optional: true,
    question: sentences(
      'Look at this product photograph of a fashion shop, and say what it shows and how it was taken.',
      product && `The product is called "${product}".`,
      'Answer only what can be seen.',
    ),
    schema: strictObject({
      person_visible: { type: 'boolean', description: 'A person of whom at least the head can be seen' },
      garment_visible: { type: 'boolean', description: 'A garment that can be told from what is around it' },
      background_visible: { type: 'boolean', description: 'Enough ground around the subject to go on from' },
      person: strictObject({
        gender: { enum: [...valuesOf(genders), 'unknown'] },
        age_range: { enum: [...valuesOf(ageRanges), 'unknown'] },
        body_type: { enum: [...valuesOf(bodyTypes), 'unknown'] },
      }),
      garment: strictObject({
        name: { type: 'string', description: 'What the product is, in two to five words' },
        primary_colour: { type: 'string' },
        material: { type: 'string' },
        pattern: { type: 'string' },
      }),
      recipe: shotSchema,
    }),
    then: (answer) => asked.map((arm) => armOf(arm, isKnown(answer) ? answer : {}, product)),
    otherwise: asked.map((arm) =>
      arm === 'garment' || arm === 'background' ? drawn[arm]({}, product) : unread(arm),
    ),
  };
  return { steps: asked.length > 0 ? [reading] : [] };
}

function armOf(arm: Arm, answer: Known, product: string | undefined): BriefStep {
  const { person_visible: person, garment_visible: garment, background_visible: ground } = answer;
  switch (arm) {
    case 'garment':
      return garment === true ? drawn.garment(known(answer['garment']), product) : missing(arm);
    case 'person':
      return person === true ? drawn.person(known(answer['person']), product) : missing(arm);
    case 'background':
      return ground === true ? drawn.background({}, product) : missing(arm);
    case 'recipe': {
      if (person !== true && garment !== true) return missing(arm);
      const gives = { kind: 'photography_recipe', label: 'How it was taken', role: 'final' } as const;
      const meta = known(answer['recipe']);
      return { kind: 'kept', name: arm, source: pdpPhoto.source, gives: { ...gives, meta } };
    }
    default:
      return arm satisfies never;
  }
}

/** Leaves out the facts that the reader could not see. */
function known(facts: unknown): Known {
  return isKnown(facts)
    ? Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== 'unknown'))
    : {};
}

const drawn: Readonly<
  Record<Exclude<Arm, 'recipe'>, (facts: Known, product: string | undefined) => PictureOrder>
> = {
  garment: (facts, product) => {
    const { name, ...meta } = facts;
    const called = product ?? (typeof name === 'string' ? name : 'the main garment');
    return pictureOrder({
      name: 'garment',
      task: 'garment_cutout',
      instruction: sentences(
        `Extract the product from image 1 as a catalogue product shot: ${called}.`,
        'Show it alone, whole, from the front, unworn and in its natural shape, on pure white with a faint shadow.',
        'What the photograph hides of it is completed plainly, in keeping with what can be seen.',
      ),
      inputs: [pdpPhoto],
      keep: ["the garment's colour, pattern, prints, logos, material, cut, length, seams and closures"],
      avoid: ['show a person, mannequin, hanger or any other garment', noText],
      ...productFormat,
      optional: true,
      gives: { kind: 'garment', label: product ?? 'Garment', role: 'final', meta },
    });
  },
  person: (facts) => personOrder('person', pdpPhoto, facts),
  background: () => plateOrder('background', pdpPhoto, {}),
};

const productFormat = { ratio: '4:5', longSide: 1024 } as const;

/** The person of a photograph as a catalogue model, for one photograph or for several with the same person. */
export function personOrder(name: StepName, photo: typeof pdpPhoto, meta: Known): PictureOrder {
  return pictureOrder({
    name,
    task: 'model_full_body',
    instruction: sentences(
      'Photograph the person of image 1 as a fashion model for a catalogue of models.',
      'They stand upright and relaxed from head to feet, facing the camera, in a plain white T-shirt, slim light-grey trousers and plain white shoes.',
      'Plain light-grey seamless studio backdrop, even soft light, camera at waist height.',
      photograph,
    ),
    inputs: [photo],
    keep: ['the identity, face, skin tone, hair, build and apparent age of the person'],
    avoid: ['keep the product, the styling or the background of image 1', ...neverAdded],
    ratio: '2:3',
    longSide: 1024,
    optional: true,
    gives: { kind: 'person', label: 'The model', role: 'final', meta },
  });
}

/** The place of a photograph, without people. */
export function plateOrder(name: StepName, photo: typeof pdpPhoto, meta: Known): PictureOrder {
  return pictureOrder({
    name,
    task: 'empty_plate',
    instruction: sentences(
      'Edit image 1: remove the person, the garments and all products with their shadows, and show the empty background.',
      'Fill what they covered by continuing ground, walls, edges, textures and light as they are around it.',
    ),
    inputs: [photo],
    keep: [
      'the camera angle, the perspective, the light, the colours and every part of the place that can be seen',
    ],
    avoid: ['add objects, people or text', 'move, tidy or restyle the place'],
    ratio: 'input',
    longSide: 1024,
    optional: true,
    gives: { kind: 'background_plate', label: 'Empty background', role: 'final', meta },
  });
}
