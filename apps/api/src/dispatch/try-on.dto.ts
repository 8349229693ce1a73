import { GARMENT_SLOTS } from '@atelier/engine/garment-categories';
import { ChoiceField, IdField, ListField, nested } from '#validation/fields.js';
import { CommonFields, OutputPresetField } from './common-fields.dto.js';

/** One garment to put on. */
export class TrialItem {
  @IdField({
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
  trial_item_category: string;
}

export function TrialItemsField(): PropertyDecorator {
  return ListField({
    description: 'The garments, all put on in one picture.',
    required: true,
    min: 1,
    max: 6,
    items: nested(TrialItem),
  });
}

export class TryOnBody extends CommonFields {
  @IdField({
    description: 'The person: an uploaded asset, or the job that made the picture.',
    required: true,
  })
  user_image: string;

  @TrialItemsField()
  items: TrialItem[];

  @OutputPresetField({ otherwise: ', where aspect_ratio does not say otherwise' })
  output_preset?: string;
}
