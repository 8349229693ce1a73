import { PictureField } from '#validation/fields.js';
import { exampleId, OutputPresetField, type OutputPreset } from '../common-fields.js';
import { defineWorkflow, noName } from '../define-workflow.js';
import { sourceProblems, sourceReferences, SwapSource } from '../swap-source.js';

export class ModelSwapWithImageBody extends SwapSource {
  @PictureField({
    description: 'The new person: an uploaded asset, a catalogue entry, or the job that made the picture.',
    required: true,
  })
  model_image_public_id: string;

  @OutputPresetField({ required: true })
  output_preset: OutputPreset;
}

export const modelSwapWithImage = defineWorkflow({
  name: 'model-swap-with-image',
  jobType: 'MODEL_SWAP_WITH_IMAGE',
  opClass: 'edit',
  credits: 5,
  summary: 'Keep the garment, and put it on another model',
  body: ModelSwapWithImageBody,
  examples: {
    render: {
      source_render_public_id: exampleId,
      model_image_public_id: exampleId,
      output_preset: 'portrait',
    },
  },
  references: [...sourceReferences, { field: 'model_image_public_id', by: 'picture', input: 'model_image' }],
  batch: undefined,
  problems: sourceProblems,
  coinName: noName,
});
