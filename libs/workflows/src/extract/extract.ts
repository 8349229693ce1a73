import { IntegerField, NestedField, ObjectField, TextField } from '#validation/fields.js';
import { exampleStorageKey, StorageKeyField } from '../common-fields.js';
import { defineWorkflow, noName, noProblems } from '../define-workflow.js';

/** What is known about what the picture shows. */
export class ExtractionContext {
  @IntegerField({ description: 'How many garments to look for.', min: 1, max: 8, example: 3 })
  max_items?: number;

  @TextField({ description: 'What the product is called.', min: 1, max: 200, example: 'Linen midi skirt' })
  product_name?: string;

  @TextField({ description: 'What is said about it.', min: 1, max: 2000 })
  product_description?: string;
}

export class ExtractBody {
  @StorageKeyField({
    description: 'The picture: the `upload_key` of an upload, or the `s3_key` of an artifact.',
    required: true,
  })
  trial_image: string;

  @ObjectField({ description: 'Settings of the engine, kept with the job.', maxBytes: 8 * 1024 })
  runtime_config?: Record<string, unknown>;

  @NestedField({ description: 'What is known about the picture.', shape: ExtractionContext })
  extraction_context?: ExtractionContext;
}

export const extract = defineWorkflow({
  name: 'extract',
  jobType: 'EXTRACT',
  opClass: 'extract',
  credits: 1,
  summary: 'Find the garments of a picture and cut each of them out',
  body: ExtractBody,
  examples: { upload: { trial_image: exampleStorageKey, extraction_context: { max_items: 3 } } },
  references: [{ field: 'trial_image', by: 'storage-key', input: 'trial_image' }],
  batch: undefined,
  problems: noProblems,
  coinName: noName,
});
