import { BooleanField, ChoiceField, IntegerField, ObjectField, TextField } from '../validation/fields.js';

export const resolutions = ['1K', '2K', '4K'] as const;
export const aspectRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9'] as const;
export const failurePolicies = ['refund', 'retry'] as const;
export const outputPresets = ['square', 'portrait', 'story', 'landscape'] as const;

/** The image models that this installation renders with. */
export const imageModels = ['sketch-1'] as const;

/** The optional fields that generator-style dispatches share. */
export class CommonFields {
  @ChoiceField({ description: 'The image model that draws.', values: imageModels, name: 'ImageModel' })
  image_model?: string;

  @BooleanField({ description: 'Whether the result is to be evaluated.' })
  eval_enabled?: boolean;

  @ChoiceField({
    description: 'How large the picture is: 1K is about a thousand pixels on its longer side.',
    values: resolutions,
    name: 'Resolution',
  })
  resolution?: string;

  @ChoiceField({ description: 'Width to height.', values: aspectRatios, name: 'AspectRatio' })
  aspect_ratio?: string;

  @IntegerField({
    description: 'The same seed and body draw the same picture. Drawn at dispatch when absent.',
    min: 0,
    max: 2 ** 31 - 1,
    example: 7,
  })
  seed?: number;

  @ChoiceField({
    description: 'What happens when rendering fails for a technical reason.',
    values: failurePolicies,
    name: 'OnTechnicalFailure',
    default: 'refund',
  })
  on_technical_failure?: string;

  @TextField({ description: 'A name for the result. When empty, one is coined.', max: 128, default: '' })
  display_name: string = '';

  @ObjectField({ description: 'Kept with the job as it is, for your own use.', maxBytes: 8 * 1024 })
  metadata?: Record<string, unknown>;

  @TextField({ description: 'Kept with the job as it is.', max: 128 })
  pilot_brand?: string;
}
