import type { Brief } from '@atelier/engine';
import { PictureField } from '#validation/fields.js';
import {
  formatOf,
  garmentFidelity,
  identity,
  input,
  naturalCloth,
  neverAdded,
  noBeautifying,
  noForeignGarments,
  onePicture,
  onlyTheGarment,
  outfitInputs,
  outfitWords,
  photograph,
  sentences,
  type BriefFacts,
} from '../briefing.js';
import { sceneInput } from '../scene-words.js';
import {
  CommonFields,
  exampleId,
  exampleItems,
  OutputPresetField,
  TrialItemsField,
  type OutputPreset,
  type TrialItem,
} from '../common-fields.js';
import { defineWorkflow } from '../define-workflow.js';

export class LookBody extends CommonFields {
  @PictureField({
    description: 'The person: an uploaded asset, or the job that made the picture.',
    required: true,
  })
  model_image_public_id: string;

  @TrialItemsField()
  items: TrialItem[];

  @PictureField({ description: 'The scene: an uploaded asset, or the job that made the picture.' })
  background_image_public_id?: string;

  @OutputPresetField({ otherwise: ', unless aspect_ratio says otherwise' })
  output_preset?: OutputPreset;
}

export const look = defineWorkflow({
  name: 'look',
  jobType: 'LOOK',
  opClass: 'compose',
  credits: 10,
  summary: 'Style a model with up to six garments',
  body: LookBody,
  examples: { outfit: { model_image_public_id: exampleId, items: exampleItems } },
  references: [
    { field: 'model_image_public_id', by: 'picture', input: 'model_image', tells: 'person' },
    { field: 'items[].trial_image', by: 'picture', input: 'item' },
    { field: 'background_image_public_id', by: 'picture', input: 'background_image' },
  ],
  brief: lookBrief,
});

/** A new photograph of the person, styled: pose and place are free, the person and the garments are not. */
function lookBrief({ body, pictures, displayName }: BriefFacts<LookBody>): Brief {
  const { items, background_image_public_id: background } = body;
  const scene = items.length + 2;
  const place =
    background === undefined
      ? 'Set the person in a photo studio with a plain, softly lit backdrop in a colour that suits the outfit.'
      : `Set the person in the place of image ${scene}, standing on its ground in a plausible size, lit as that place is lit, with a contact shadow under the feet.`;
  return onePicture({
    name: 'look',
    task: 'catalog_shot',
    instruction: sentences(
      `Photograph the person of image 1 for a fashion editorial, at full length, ${outfitWords(items, 2, ['wearing', 'carrying'])}.`,
      items.length > 1
        ? 'The pieces are all worn together, as one outfit, in the order in which people layer clothes.'
        : '',
      'The person stands in a relaxed, confident pose that shows the whole outfit.',
      place,
      naturalCloth,
      photograph,
    ),
    inputs: [
      input(
        'model_image',
        'person',
        'the person. Take face, hair, skin and body from here, and not the clothes.',
      ),
      ...outfitInputs(items, pictures),
      ...(background === undefined ? [] : [sceneInput(pictures, 'background_image')]),
    ],
    keep: [
      identity,
      garmentFidelity,
      ...(background === undefined
        ? []
        : [`the architecture, materials and colours of the place of image ${scene}`]),
    ],
    avoid: [noBeautifying, noForeignGarments, onlyTheGarment, ...neverAdded],
    ...formatOf(body, '4:5'),
    gives: { kind: 'look_render', label: displayName || 'Look', role: 'final', meta: {} },
  });
}
