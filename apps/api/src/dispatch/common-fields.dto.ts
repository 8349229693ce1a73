import { BooleanField, ChoiceField, IntegerField, ObjectField, TextField } from '#validation/fields.js';

export const resolutions = ['1K', '2K', '4K'] as const;
export const aspectRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9'] as const;
export const failurePolicies = ['refund', 'retry'] as const;
export const outputPresets = ['square', 'portrait', 'story', 'landscape'] as const;

/** The bound of every storage key that a body names. */
export const longestStorageKey = 512;

export const exampleStorageKey = 'live/01K9Z7G1T9C4W6X2Y8A5S3D7FH/uploads/01K9Z7J0V4M2Q8T6R3N5B1C7DE.jpg';
export const exampleId = '01K9Z7J0V4M2Q8T6R3N5B1C7DE';

/** Which models there are is configuration, so that the rule is not the field's own: see `image-model-rules.ts`. */
export function ImageModelField(): PropertyDecorator {
  return TextField({
    description: 'The image model that draws: one of those that this installation has, `sketch-1` at first.',
    min: 1,
    max: 64,
    example: 'sketch-1',
  });
}

export function OutputPresetField(
  options: { required?: boolean; otherwise?: string } = {},
): PropertyDecorator {
  const { required = false, otherwise = '' } = options;
  return ChoiceField({
    description: `The format of the picture: 1:1, 4:5, 9:16 or 16:9${otherwise}.`,
    values: outputPresets,
    name: 'OutputPreset',
    required,
  });
}

/** Several workflows have no use for it, and keep it. */
export function PilotBrandField(): PropertyDecorator {
  return TextField({ description: 'Kept with the job as it is.', max: 128 });
}

/** The optional fields that generator-style dispatches share. */
export class CommonFields {
  @ImageModelField()
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

  @PilotBrandField()
  pilot_brand?: string;
}
