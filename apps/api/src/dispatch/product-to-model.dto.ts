import type { FieldProblem } from '#validation/validate.js';
import { IdField, TextField } from '#validation/fields.js';
import {
  CommonFields,
  exampleStorageKey,
  longestStorageKey,
  OutputPresetField,
} from './common-fields.dto.js';
import { exactlyOne } from './field-relations.js';

export class ProductToModelDirectBody extends CommonFields {
  @TextField({
    description: 'The garment: the `upload_key` of an upload. Exactly one of this and product_id.',
    min: 1,
    max: longestStorageKey,
    example: exampleStorageKey,
  })
  product_image_s3_key?: string;

  @IdField({ description: 'The garment: a product of yours. Exactly one of this and product_image_s3_key.' })
  product_id?: string;

  @IdField({ description: 'The person: an uploaded asset, or the job that made the picture.' })
  model_image_public_id?: string;

  @IdField({ description: 'The scene: an uploaded asset, or the job that made the picture.' })
  background_image_public_id?: string;

  @OutputPresetField({ otherwise: ', where aspect_ratio does not say otherwise' })
  output_preset?: string;
}

/** The same order, shown phase by phase. */
export class ProductToModelPhasedBody extends ProductToModelDirectBody {}

export function productToModelProblems(body: ProductToModelDirectBody): FieldProblem[] {
  return exactlyOne(body, 'product_image_s3_key', 'product_id');
}
