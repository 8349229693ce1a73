import type { FieldProblem } from '#validation/validate.js';
import { IdField } from '#validation/fields.js';
import { PilotBrandField, StorageKeyField } from './common-fields.js';
import { exactlyOne, type Reference } from './define-workflow.js';

/** What the swaps start from: one of the two. */
export class SwapSource {
  @StorageKeyField({
    description:
      'The picture: the `upload_key` of an upload, or the `s3_key` of an artifact. ' +
      'Exactly one of this and source_render_public_id.',
  })
  source_image_s3_key?: string;

  @IdField({ description: 'The picture: the job that made it. Exactly one of this and source_image_s3_key.' })
  source_render_public_id?: string;

  @PilotBrandField()
  pilot_brand?: string;
}

export const sourceReferences = [
  { field: 'source_image_s3_key', by: 'storage-key', input: 'source_image' },
  { field: 'source_render_public_id', by: 'render', input: 'source_image' },
] as const satisfies readonly Reference[];

export function sourceProblems(body: SwapSource): FieldProblem[] {
  return exactlyOne(body, 'source_image_s3_key', 'source_render_public_id');
}
