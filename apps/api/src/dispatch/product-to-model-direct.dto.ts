import { notFound, type FieldProblem } from '../errors/api-error.js';
import { ChoiceField, IdField, TextField } from '../validation/fields.js';
import { CommonFields, outputPresets } from './common-fields.dto.js';

export class ProductToModelDirectBody extends CommonFields {
  @TextField({
    description: 'The garment: the `upload_key` of an upload. Exactly one of this and product_id.',
    min: 1,
    max: 512,
    example: 'live/01K9Z7G1T9C4W6X2Y8A5S3D7FH/uploads/01K9Z7J0V4M2Q8T6R3N5B1C7DE.jpg',
  })
  product_image_s3_key?: string;

  @IdField({ description: 'The garment: a product of yours. Exactly one of this and product_image_s3_key.' })
  product_id?: string;

  @IdField({ description: 'The person: an uploaded asset, or the job that made the picture.' })
  model_image_public_id?: string;

  @IdField({ description: 'The scene: an uploaded asset, or the job that made the picture.' })
  background_image_public_id?: string;

  @ChoiceField({
    description: 'The format of the picture, where aspect_ratio does not say otherwise.',
    values: outputPresets,
    name: 'OutputPreset',
  })
  output_preset?: string;
}

export function productToModelProblems(body: ProductToModelDirectBody): FieldProblem[] {
  const { product_image_s3_key: image, product_id: product } = body;
  const loc = ['body', 'product_image_s3_key'];
  if (image === undefined && product === undefined) {
    return [{ loc, msg: 'or product_id is required', type: 'missing' }];
  }
  if (image !== undefined && product !== undefined) {
    return [{ loc, msg: 'and product_id exclude each other: send one of them', type: 'value' }];
  }
  // No tenant has a product in this release, so that every id of one is unknown.
  if (product !== undefined) throw notFound('product: product_id names nothing that you own');
  return [];
}
