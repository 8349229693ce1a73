import type { Brief, BriefInput } from '@atelier/engine';
import { IdField } from '#validation/fields.js';
import { exactlyOneOf, given, Relations } from '#validation/relations.js';
import { DispatchBody, PilotBrandField, StorageKeyField, type OutputPreset } from './common-fields.js';
import {
  formatOf,
  input,
  neverAdded,
  noBeautifying,
  onePicture,
  photograph,
  reframed,
  sentences,
} from './briefing.js';
import type { Reference } from './define-workflow.js';

/** The source of a swap: one of the two. */
@Relations(exactlyOneOf(given('source_image_s3_key'), given('source_render_public_id')))
export class SwapSource extends DispatchBody {
  @StorageKeyField({
    description:
      'The picture: the `upload_key` of an upload, or the `s3_key` of an artifact. ' +
      'Exactly one of this and source_render_public_id.',
  })
  source_image_s3_key?: string;

  @IdField({
    description: 'The picture: the job that made it. Exactly one of this and source_image_s3_key.',
    choices: '/v1/renders',
  })
  source_render_public_id?: string;

  @PilotBrandField()
  pilot_brand?: string;
}

export const sourceReferences = [
  { field: 'source_image_s3_key', by: 'storage-key', input: 'source_image' },
  { field: 'source_render_public_id', by: 'render', input: 'source_image' },
] as const satisfies readonly Reference[];

/** The words that set a subject into another place. */
const setIntoPlace = [
  'Keep the subject at its size in the frame, unless it would stand implausibly large or small in the new place.',
  'Light the subject as the new place is lit: match direction, softness, colour temperature and contrast, and put a contact shadow where the subject touches the ground.',
  photograph,
].join(' ');

/** Only the place of the source changes. @param scene the picture of the new place, if there is one */
export function backgroundSwapBrief(
  body: { readonly output_preset?: OutputPreset },
  { words, scene, avoid = [] }: { readonly words: string; scene?: BriefInput; avoid?: readonly string[] },
): Brief {
  const format = formatOf(body, 'input');
  return onePicture({
    name: 'background_swap',
    task: 'background_swap',
    instruction: sentences(words, setIntoPlace, reframed(format)),
    inputs: [
      input('source_image', 'subject', 'the photograph to edit, with the subject that stays.'),
      ...(scene ? [scene] : []),
    ],
    keep: [
      'the subject of image 1: face, hair, body, pose, clothes, accessories and products, down to prints and seams',
      'the camera angle and the crop of the subject',
      ...(scene ? ['the architecture, materials and colours of the place of image 2'] : []),
    ],
    avoid: [
      ...avoid,
      noBeautifying,
      'leave an outline, halo, fringe or remains of the old background around the subject, also between strands of hair',
      ...neverAdded,
    ],
    ...format,
    gives: { kind: 'background_swap', label: 'In another place', role: 'final', meta: {} },
  });
}
