import type { Brief } from '@atelier/engine';
import { PictureField } from '#validation/fields.js';
import {
  formatOf,
  input,
  naturalCloth,
  neverAdded,
  noBeautifying,
  noForeignGarments,
  onePicture,
  photograph,
  reframed,
  sentences,
  type BriefFacts,
} from '../briefing.js';
import { personInput } from '../casting-words.js';
import { exampleId, OutputPresetField, type OutputPreset } from '../common-fields.js';
import { defineWorkflow } from '../define-workflow.js';
import { sourceReferences, SwapSource } from '../swap-source.js';

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
  references: [
    ...sourceReferences.map((reference) => ({ ...reference, tells: 'composition' as const })),
    { field: 'model_image_public_id', by: 'picture', input: 'model_image', tells: 'person' },
  ],
  brief: modelSwapBrief,
});

/** The clothes, the pose and the place are those of the source; the person is another. */
function modelSwapBrief({ body, pictures }: BriefFacts<ModelSwapWithImageBody>): Brief {
  const format = formatOf(body, 'input');
  return onePicture({
    name: 'model_swap',
    task: 'model_swap',
    instruction: sentences(
      'Edit image 1: replace the person in it with the person of image 2, and change nothing else.',
      'Face, head, hair, skin tone on all visible skin, hands and body proportions become those of image 2; where image 1 shows no face, only what it shows of the body changes.',
      'If image 1 shows a garment without a person, let the person of image 2 wear it.',
      naturalCloth,
      reframed(format),
      photograph,
    ),
    inputs: [
      input(
        'source_image',
        'subject',
        'the photograph to edit, with the clothes, the pose and the place that stay.',
      ),
      personInput(pictures, 'model_image', 'the new person. Take the person from here, and not the clothes.'),
    ],
    keep: [
      'every garment and accessory of image 1: colour, pattern, prints, logos, material, cut, length, fit, seams and closures',
      'the pose, the camera angle, the framing, the background and the light of image 1',
      'the identity of the person of image 2',
    ],
    avoid: [noBeautifying, noForeignGarments, 'blend the two faces', ...neverAdded],
    ...format,
    gives: { kind: 'model_swap', label: 'On another model', role: 'final', meta: {} },
  });
}
