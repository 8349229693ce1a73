import { IntegerField, NestedField, ObjectField, TextField } from '#validation/fields.js';
import { exampleStorageKey, longestStorageKey } from './common-fields.dto.js';

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
  @TextField({
    description: 'The picture: the `upload_key` of an upload, or the `s3_key` of an artifact.',
    required: true,
    min: 1,
    max: longestStorageKey,
    example: exampleStorageKey,
  })
  trial_image: string;

  @ObjectField({ description: 'Settings of the engine, kept with the job.', maxBytes: 8 * 1024 })
  runtime_config?: Record<string, unknown>;

  @NestedField({ description: 'What is known about the picture.', shape: ExtractionContext })
  extraction_context?: ExtractionContext;
}
