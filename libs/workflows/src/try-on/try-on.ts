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
  pose,
  reframed,
  sentences,
  type BriefFacts,
} from '../briefing.js';
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

export class TryOnBody extends CommonFields {
  @PictureField({
    description: 'The person: an uploaded asset, or the job that made the picture.',
    required: true,
  })
  user_image: string;

  @TrialItemsField()
  items: TrialItem[];

  @OutputPresetField({ otherwise: ', unless aspect_ratio says otherwise' })
  output_preset?: OutputPreset;
}

export const tryOn = defineWorkflow({
  name: 'try-on',
  jobType: 'TRY_ON',
  opClass: 'compose',
  credits: 10,
  summary: 'Dress the person of a photograph with up to six garments',
  body: TryOnBody,
  examples: { outfit: { user_image: exampleId, items: exampleItems } },
  references: [
    { field: 'user_image', by: 'picture', input: 'user_image', tells: 'person' },
    { field: 'items[].trial_image', by: 'picture', input: 'item' },
  ],
  brief: tryOnBrief,
});

/** Edits the person's own photograph. Only the clothes that a garment replaces change. */
function tryOnBrief({ body, pictures, displayName }: BriefFacts<TryOnBody>): Brief {
  const { items } = body;
  const format = formatOf(body, 'input');
  return onePicture({
    name: 'try_on',
    task: 'try_on',
    instruction: sentences(
      `Edit image 1: let its person ${outfitWords(items, 2, ['wear', 'carry'])}.`,
      items.length > 1
        ? 'They are all worn together, as one outfit, in the order in which people layer clothes.'
        : '',
      'Replace only the clothes whose place these garments take.',
      naturalCloth,
      reframed(format),
      photograph,
    ),
    inputs: [
      input('user_image', 'person', 'the photograph to edit, with the person to dress.'),
      ...outfitInputs(items, pictures),
    ],
    keep: [
      identity,
      pose,
      'the background, the camera angle, the framing and the light of image 1',
      garmentFidelity,
    ],
    avoid: [noBeautifying, noForeignGarments, onlyTheGarment, ...neverAdded],
    ...format,
    gives: { kind: 'try_on_render', label: displayName || 'Try-on', role: 'final', meta: {} },
  });
}
