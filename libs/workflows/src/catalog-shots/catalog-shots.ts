import { ChoiceField, IdField, ListField, pictureId, TextField } from '#validation/fields.js';
import { mostInputs } from '#platform/image-models.js';
import { exampleId, ImageModelField } from '../common-fields.js';
import { defineWorkflow, noName, noProblems } from '../define-workflow.js';

const qualities = ['medium', 'high'] as const;

export class CatalogShotsBody {
  @ListField({
    description:
      'The garments: uploaded assets, catalogue entries, or jobs that made a picture. At most as many as the image ' +
      'model takes, which is 8 for `sketch-1`.',
    required: true,
    min: 1,
    max: mostInputs,
    items: pictureId,
    example: [exampleId],
  })
  garment_image_asset_refs: string[];

  @TextField({
    description: 'What the product is called.',
    required: true,
    min: 1,
    max: 256,
    example: 'Linen midi skirt',
  })
  product_title: string;

  @IdField({ description: 'A preset of `GET /v1/presets?kind=model`.', required: true })
  model_preset_id: string;

  @IdField({ description: 'A preset of `GET /v1/presets?kind=background`.', required: true })
  background_preset_id: string;

  @IdField({ description: 'A preset of `GET /v1/presets?kind=shot`.', required: true })
  shot_preset_id: string;

  @ImageModelField()
  model?: string;

  @ChoiceField({
    description: 'For image models that know it, and dropped for others. With `sketch-1`, `high` is 2K.',
    values: qualities,
    name: 'Quality',
  })
  quality?: (typeof qualities)[number];
}

export const catalogShots = defineWorkflow({
  name: 'catalog-shots',
  jobType: 'CATALOG_SHOT',
  opClass: 'compose',
  credits: 10,
  summary: 'Compose garments onto a preset model, background and shot, in 2:3',
  body: CatalogShotsBody,
  examples: {
    shot: {
      garment_image_asset_refs: [exampleId],
      product_title: 'Linen midi skirt',
      model_preset_id: exampleId,
      background_preset_id: exampleId,
      shot_preset_id: exampleId,
      quality: 'high',
    },
  },
  references: [
    { field: 'garment_image_asset_refs[]', by: 'picture', input: 'garment' },
    { field: 'model_preset_id', by: 'preset', kind: 'model', input: 'model' },
    { field: 'background_preset_id', by: 'preset', kind: 'background', input: 'background' },
    { field: 'shot_preset_id', by: 'preset', kind: 'shot', input: 'shot' },
  ],
  batch: undefined,
  problems: noProblems,
  coinName: noName,
});
