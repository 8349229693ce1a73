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

  @OutputPresetField({ otherwise: ', where aspect_ratio does not say otherwise' })
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
    { field: 'model_image_public_id', by: 'picture', input: 'model_image' },
    { field: 'items[].trial_image', by: 'picture', input: 'item' },
    { field: 'background_image_public_id', by: 'picture', input: 'background_image' },
  ],
  batch: undefined,
  problems: noProblems,
  coinName: noName,
});
