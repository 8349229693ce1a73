import { longestDataSubject } from '#domain/data-subject.js';
import { GARMENT_SLOTS, type GarmentSlot } from '#domain/garment/garment-categories.js';
import { longestRetentionDays } from '#domain/kept-for.js';
import { resolutions } from '#platform/image-models.js';
import {
  BooleanField,
  ChoiceField,
  field,
  IntegerField,
  ListField,
  nested,
  ObjectField,
  PictureField,
  text,
  TextField,
} from '#validation/fields.js';
import { equal, given, implies, oneOf, Relations } from '#validation/relations.js';

/* The fields that several workflows have, each with its bounds. */

const aspectRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9'] as const;
const failurePolicies = ['refund', 'retry'] as const;
const outputFormats = ['png', 'jpeg', 'webp', 'avif'] as const;
const lossyFormats = ['jpeg', 'webp', 'avif'] as const satisfies (typeof outputFormats)[number][];
/** Formats by the places that they are for. */
export const outputRatios = {
  square: '1:1',
  portrait: '4:5',
  story: '9:16',
  landscape: '16:9',
} as const satisfies Record<string, (typeof aspectRatios)[number]>;

export type Resolution = (typeof resolutions)[number];
export type AspectRatio = (typeof aspectRatios)[number];
export type FailurePolicy = (typeof failurePolicies)[number];
export type OutputPreset = keyof typeof outputRatios;

export const exampleStorageKey = 'live/01K9Z7G1T9C4W6X2Y8A5S3D7FH/uploads/01K9Z7J0V4M2Q8T6R3N5B1C7DE.jpg';
export const exampleId = '01K9Z7J0V4M2Q8T6R3N5B1C7DE';

/** A picture by its storage key or its asset id: callers have both, and either identifies it. */
export function StorageKeyField(options: { description: string; required?: boolean }): PropertyDecorator {
  const kind = text({ min: 1, max: 512 });
  return field({ example: exampleStorageKey, ...options }, kind, { ...kind.schema, 'x-picture': true });
}

/** The available models are configuration, so `image-model-rules.ts` checks the value, and not this field. */
export function ImageModelField(): PropertyDecorator {
  return TextField({
    description:
      'The image model that draws: one that this installation has. A new installation has `sketch-1`.',
    min: 1,
    max: 64,
    example: 'sketch-1',
    choices: '/v1/image-models',
  });
}

export function OutputPresetField(
  options: { required?: boolean; otherwise?: string } = {},
): PropertyDecorator {
  const { required = false, otherwise = '' } = options;
  return ChoiceField({
    description: `The format of the picture: 1:1, 4:5, 9:16 or 16:9${otherwise}.`,
    values: Object.keys(outputRatios),
    name: 'OutputPreset',
    required,
  });
}

/** @param whom completes `the person …` */
export function DataSubjectField(whom: 'whom it is about' | 'whom it shows'): PropertyDecorator {
  return TextField({
    description: `Your own name for the person ${whom}. All that is made from it belongs to the same person.`,
    min: 1,
    max: longestDataSubject,
    example: 'customer-4711',
  });
}

/** Some workflows ignore this field, but store it. */
export function PilotBrandField(): PropertyDecorator {
  return TextField({ description: 'Stored with the job, unchanged.', max: 128 });
}

export const dominantColours = {
  description: 'The main colours of the scene, by name or as `#rrggbb`.',
  max: 8,
  items: text({ min: 1, max: 64 }),
  example: ['sand', '#8a9a82'],
};
export const sceneType = {
  description: 'The kind of scene.',
  min: 1,
  max: 200,
  example: 'rooftop terrace at dusk',
};
export const mood = { description: 'How it feels.', min: 1, max: 200, example: 'calm' };

/** The bytes of a picture with its mark and its credentials: less would leave no room for the picture. */
export const fewestMaxBytes = 50_000;
/** No more can be uploaded, and so used in another order. */
const mostMaxBytes = 25 * 1024 * 1024;

/** What an order says of the files that it gets. */
export interface OutputFields {
  readonly output_format?: (typeof outputFormats)[number];
  readonly max_bytes?: number;
}

/** The fields of every body, and of every photograph of a batch. */
export class JobBody {
  @DataSubjectField('whom it is about')
  data_subject?: string;

  @IntegerField({
    description:
      'The pictures are erased this many days after they are made, and the words of the job this many days after its ' +
      'end. It can only shorten what `GET /v1/retention` shows.',
    min: 1,
    max: longestRetentionDays,
    example: 30,
  })
  retain_days?: number;
}

/** The fields of every body. */
@Relations(
  implies(given('max_bytes'), oneOf('output_format', lossyFormats), {
    field: 'output_format',
    msg: `must be one of ${lossyFormats.join(', ')} with max_bytes: a PNG keeps every pixel, so its size cannot be chosen`,
  }),
)
export class DispatchBody extends JobBody implements OutputFields {
  @ChoiceField({
    description:
      'The format of the final pictures. When absent, each is a PNG or a JPEG, as the image model gives it. In `jpeg`, a ' +
      'transparent ground becomes white.',
    values: outputFormats,
    name: 'OutputFormat',
  })
  output_format?: (typeof outputFormats)[number];

  @IntegerField({
    description:
      'The most bytes of each final picture, with its mark and its Content Credentials. Needs an `output_format` of `jpeg`, ' +
      '`webp` or `avif`. The quality is lowered as far as necessary, down to a bound; then the picture is made smaller. ' +
      '`meta.encoding` of the artifact says what was done.',
    min: fewestMaxBytes,
    max: mostMaxBytes,
    example: 500_000,
  })
  max_bytes?: number;
}

/** The optional fields that generator-style dispatches share. */
export class CommonFields extends DispatchBody {
  @ImageModelField()
  image_model?: string;

  @BooleanField({ description: 'Whether to evaluate the result.' })
  eval_enabled?: boolean;

  @ChoiceField({
    description: 'How large the picture is: 1K is about a thousand pixels on its longer side.',
    values: resolutions,
    name: 'Resolution',
  })
  resolution?: Resolution;

  @ChoiceField({ description: 'Width to height.', values: aspectRatios, name: 'AspectRatio' })
  aspect_ratio?: AspectRatio;

  @IntegerField({
    description:
      'The same seed and body draw the same picture. Any 32 bits, signed or not. When absent, a seed is chosen at dispatch.',
    min: -(2 ** 31),
    max: 2 ** 32 - 1,
    example: 7,
  })
  seed?: number;

  @ChoiceField({
    description: 'The action when rendering fails for a technical reason.',
    values: failurePolicies,
    name: 'OnTechnicalFailure',
    default: 'refund',
  })
  on_technical_failure?: FailurePolicy;

  @TextField({
    description: 'A name for the result. When empty, a name is generated.',
    max: 1_000,
    default: '',
  })
  display_name: string = '';

  @ObjectField({ description: 'Stored with the job, unchanged, for your own use.', maxBytes: 8 * 1024 })
  metadata?: Record<string, unknown>;

  @PilotBrandField()
  pilot_brand?: string;
}

/** For a choice between presets and free text. */
export const customNeedsWords = implies(equal('preset', 'custom'), given('custom_text'), {
  field: 'custom_text',
  msg: 'is required with preset custom',
  type: 'missing',
});

/** One garment to put on. */
export class TrialItem {
  @PictureField({
    description: 'The garment: an uploaded asset, or the job that made the picture.',
    required: true,
  })
  trial_image: string;

  @ChoiceField({
    description: 'Where on the body it goes.',
    values: GARMENT_SLOTS,
    name: 'TrialItemCategory',
    required: true,
  })
  trial_item_category: GarmentSlot;
}

export function TrialItemsField(): PropertyDecorator {
  return ListField({
    description: 'The garments, which are all put on in one picture.',
    required: true,
    min: 1,
    max: 6,
    items: nested(TrialItem),
  });
}

export const exampleItems = [
  { trial_image: exampleId, trial_item_category: 'top' },
  { trial_image: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF', trial_item_category: 'bottom' },
] as const;
