import type { Brief } from '@atelier/engine';
import { PictureField } from '#validation/fields.js';
import type { BriefFacts } from '../briefing.js';
import { exampleId, exampleStorageKey, OutputPresetField, type OutputPreset } from '../common-fields.js';
import { defineWorkflow } from '../define-workflow.js';
import { sceneInput } from '../scene-words.js';
import { backgroundSwapBrief, sourceReferences, SwapSource } from '../swap-source.js';

export class BackgroundSwapWithImageBody extends SwapSource {
  @PictureField({
    description: 'The new scene: an uploaded asset, a catalogue entry, or the job that made the picture.',
    required: true,
  })
  background_image_public_id: string;

  @OutputPresetField({ otherwise: "; the source's own when absent" })
  output_preset?: OutputPreset;
}

export const backgroundSwapWithImage = defineWorkflow({
  name: 'background-swap-with-image',
  jobType: 'BACKGROUND_SWAP_WITH_IMAGE',
  opClass: 'edit',
  credits: 5,
  summary: 'Cut the subject out and set it before another background',
  body: BackgroundSwapWithImageBody,
  examples: {
    upload: { source_image_s3_key: exampleStorageKey, background_image_public_id: exampleId },
    render: { source_render_public_id: exampleId, background_image_public_id: exampleId },
  },
  references: [
    ...sourceReferences,
    { field: 'background_image_public_id', by: 'picture', input: 'background_image' },
  ],
  brief: swapBrief,
});

function swapBrief({ body, pictures }: BriefFacts<BackgroundSwapWithImageBody>): Brief {
  const part = 'the new background. Use the place, and nobody who may be in it.';
  return backgroundSwapBrief(body, {
    words:
      'Edit image 1: replace its background with the place of image 2. Change nothing else but the light on the subject.',
    scene: sceneInput(pictures, 'background_image', part),
  });
}
