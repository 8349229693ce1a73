import { PictureField } from '#validation/fields.js';
import {
  CommonFields,
  exampleId,
  exampleItems,
  OutputPresetField,
  TrialItemsField,
  type OutputPreset,
  type TrialItem,
} from '../common-fields.js';
import { defineWorkflow, noName, noProblems } from '../define-workflow.js';

export class TryOnBody extends CommonFields {
  @PictureField({
    description: 'The person: an uploaded asset, or the job that made the picture.',
    required: true,
  })
  user_image: string;

  @TrialItemsField()
  items: TrialItem[];

  @OutputPresetField({ otherwise: ', where aspect_ratio does not say otherwise' })
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
    { field: 'user_image', by: 'picture', input: 'user_image' },
    { field: 'items[].trial_image', by: 'picture', input: 'item' },
  ],
  batch: undefined,
  problems: noProblems,
  coinName: noName,
});
