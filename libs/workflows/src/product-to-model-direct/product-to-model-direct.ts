import { IdField, PictureField } from '#validation/fields.js';
import {
  CommonFields,
  exampleId,
  exampleStorageKey,
  OutputPresetField,
  StorageKeyField,
  type OutputPreset,
} from '../common-fields.js';
import { defineWorkflow, exactlyOne, noName, type Reference } from '../define-workflow.js';

export class ProductToModelDirectBody extends CommonFields {
  @StorageKeyField({
    description: 'The garment: the `upload_key` of an upload. Exactly one of this and product_id.',
  })
  product_image_s3_key?: string;

  @IdField({ description: 'The garment: a product of yours. Exactly one of this and product_image_s3_key.' })
  product_id?: string;

  @PictureField({ description: 'The person: an uploaded asset, or the job that made the picture.' })
  model_image_public_id?: string;

  @PictureField({ description: 'The scene: an uploaded asset, or the job that made the picture.' })
  background_image_public_id?: string;

  @OutputPresetField({ otherwise: ', where aspect_ratio does not say otherwise' })
  output_preset?: OutputPreset;
}

export const productOnModel = {
  product_image_s3_key: exampleStorageKey,
  output_preset: 'portrait',
  seed: 7,
} as const;

const productReferences = [
  { field: 'product_image_s3_key', by: 'storage-key', input: 'product_image' },
  { field: 'product_id', by: 'product', input: 'product_image' },
  { field: 'model_image_public_id', by: 'picture', input: 'model_image' },
  { field: 'background_image_public_id', by: 'picture', input: 'background_image' },
] as const satisfies readonly Reference[];

export const productToModelDirect = defineWorkflow({
  name: 'product-to-model-direct',
  jobType: 'PRODUCT_TO_MODEL_DIRECT',
  opClass: 'compose',
  credits: 10,
  summary: 'Set the garment of a product photograph on a model',
  body: ProductToModelDirectBody,
  examples: {
    upload: productOnModel,
    product: { product_id: exampleId, model_image_public_id: exampleId },
  },
  references: productReferences,
  batch: undefined,
  problems: (body) => exactlyOne(body, 'product_image_s3_key', 'product_id'),
  coinName: noName,
});
