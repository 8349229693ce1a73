import type { Brief, BriefStep, StepName } from '@atelier/engine';
import { GARMENT_SLOTS } from '#domain/garment/garment-categories.js';
import { IntegerField, NestedField, ObjectField, TextField } from '#validation/fields.js';
import {
  input,
  isKnown,
  noText,
  pictureOrder,
  sentences,
  word,
  type BriefFacts,
  type Known,
} from '../briefing.js';
import { DispatchBody, exampleStorageKey, StorageKeyField } from '../common-fields.js';
import { defineWorkflow } from '../define-workflow.js';
import { strictObject } from '../shot-words.js';

/** The known facts about the picture's content. */
export class ExtractionContext {
  @IntegerField({ description: 'How many garments to look for.', min: 1, max: 8, example: 3 })
  max_items?: number;

  @TextField({ description: 'The name of the product.', min: 1, max: 200, example: 'Linen midi skirt' })
  product_name?: string;

  @TextField({ description: 'The description of the product.', min: 1, max: 2000 })
  product_description?: string;
}

export class ExtractBody extends DispatchBody {
  @StorageKeyField({
    description: 'The picture: the `upload_key` of an upload, or the `s3_key` of an artifact.',
    required: true,
  })
  trial_image: string;

  @ObjectField({ description: 'Settings of the engine, stored with the job.', maxBytes: 8 * 1024 })
  runtime_config?: Record<string, unknown>;

  @NestedField({ description: 'Known facts about the picture.', shape: ExtractionContext })
  extraction_context?: ExtractionContext;
}

export const extract = defineWorkflow({
  name: 'extract',
  jobType: 'EXTRACT',
  opClass: 'extract',
  credits: 1,
  summary: 'Find the garments of a picture and cut each of them out',
  body: ExtractBody,
  examples: { upload: { trial_image: exampleStorageKey, extraction_context: { max_items: 3 } } },
  references: [{ field: 'trial_image', by: 'storage-key', input: 'trial_image' }],
  brief: extractBrief,
});

const photo = input('trial_image', 'photograph', 'the photograph that shows the garments.');
/** How many garments to look for if the body does not say. */
const usualItems = 4;

/**
 * A reader first lists the garments. Without a reader, the garment that the caller names, or the main one, is cut out.
 */
function extractBrief({ body }: BriefFacts<ExtractBody>): Brief {
  const {
    max_items: most = usualItems,
    product_name: name,
    product_description: about,
  } = body.extraction_context ?? {};
  const product = sentences(
    name && `The product is called "${name}".`,
    about && `It is described as: "${about}".`,
    (name ?? about) && 'If it is in the photograph, it comes first.',
  );
  const reading: BriefStep = {
    kind: 'reading',
    name: 'garments',
    inputs: [photo],
    optional: false,
    question: sentences(
      `List the garments, shoes, bags and accessories that are clearly visible in the image, at most ${most}, the largest first.`,
      'Leave out what is hardly visible or cannot be told apart.',
      product,
    ),
    schema: strictObject({
      garments: {
        type: 'array',
        items: strictObject({
          name: { type: 'string', description: 'What it is, in two to five words' },
          slot: { enum: GARMENT_SLOTS },
          primary_colour: { type: 'string' },
          material: { type: 'string', description: 'As far as it can be seen' },
          pattern: { type: 'string', description: '`solid` without one' },
        }),
      },
    }),
    then: (answer) => {
      const found =
        isKnown(answer) && Array.isArray(answer['garments']) ? answer['garments'].filter(isKnown) : [];
      if (found.length === 0) return [noGarment];
      return found
        .slice(0, most)
        .map((garment, index) => cutOutOrder(`garment_${index + 1}`, garment, found.length > 1));
    },
    otherwise: [cutOutOrder('garment', { name: name ?? 'the main garment' }, false)],
  };
  return { steps: [reading] };
}

const noGarment: BriefStep = {
  kind: 'missing',
  name: 'garments',
  code: 'NO_GARMENT_FOUND',
  message: 'No garment was found in trial_image. Send a photograph that shows one clearly.',
};

function cutOutOrder(step: StepName, garment: Known, optional: boolean): BriefStep {
  const { name: _, ...meta } = garment;
  const name = word(garment['name']) ?? 'the main garment';
  return pictureOrder({
    name: step,
    task: 'garment_cutout',
    instruction: sentences(
      `Extract this garment from image 1 as a product cut-out: ${name}.`,
      'Show it alone, whole, from the front, unworn and in its natural shape, as if on an invisible form.',
      'What the photograph hides of it is completed plainly, in keeping with what can be seen.',
      'The edges are clean, without halo or remains of skin, hair or background.',
    ),
    inputs: [photo],
    keep: ["the garment's colour, pattern, prints, logos, material, cut, length, seams and closures"],
    avoid: [
      'show a person, mannequin, hanger or any other garment',
      'restyle, recolour or clean up the design',
      noText,
    ],
    ratio: '4:5',
    longSide: 1024,
    transparent: true,
    optional,
    gives: { kind: 'extracted_garment', label: labelOf(name), role: 'final', meta },
  });
}

const labelOf = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
