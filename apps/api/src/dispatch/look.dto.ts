import { IdField } from '#validation/fields.js';
import { CommonFields, OutputPresetField } from './common-fields.dto.js';
import { TrialItemsField, type TrialItem } from './try-on.dto.js';

export class LookBody extends CommonFields {
  @IdField({
    description: 'The person: an uploaded asset, or the job that made the picture.',
    required: true,
  })
  model_image_public_id: string;

  @TrialItemsField()
  items: TrialItem[];

  @IdField({ description: 'The scene: an uploaded asset, or the job that made the picture.' })
  background_image_public_id?: string;

  @OutputPresetField({ otherwise: ', where aspect_ratio does not say otherwise' })
  output_preset?: string;
}
