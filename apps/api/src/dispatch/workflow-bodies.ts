import { categoryByKey } from '@atelier/engine/garment-categories';
import type { WorkflowName } from '#domain/workflow/workflows.js';
import type { FieldProblem } from '#validation/validate.js';
import type { Shape } from '#validation/validate.js';
import { BackgroundGeneratorBody, backgroundGeneratorProblems } from './background-generator.dto.js';
import { CatalogShotsBody } from './catalog-shots.dto.js';
import { exampleId, exampleStorageKey } from './common-fields.dto.js';
import {
  ComplementaryGarmentGeneratorBody,
  complementaryGarmentProblems,
} from './complementary-garment-generator.dto.js';
import { ExtractBody } from './extract.dto.js';
import { LookBody } from './look.dto.js';
import { ModelGeneratorBody, modelGeneratorProblems } from './model-generator.dto.js';
import { PdpBatchExtractionsBody, pdpBatchProblems, PdpExtractionsBody } from './pdp-extractions.dto.js';
import {
  ProductToModelDirectBody,
  ProductToModelPhasedBody,
  productToModelProblems,
} from './product-to-model.dto.js';
import {
  BackgroundSwapWithImageBody,
  BackgroundSwapWithSpecBody,
  ModelSwapWithImageBody,
  swapProblems,
  swapWithSpecProblems,
} from './swaps.dto.js';
import { TryOnBody } from './try-on.dto.js';

/** The body of one workflow's dispatch. */
export interface WorkflowBody<T extends object = object> {
  readonly shape: Shape<T>;
  readonly summary: string;
  /** Bodies that validate, by what they show. */
  readonly examples: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Rules between fields, once each field is fine by itself. */
  problems?(body: T): FieldProblem[];
}

const items = [
  { trial_image: exampleId, trial_item_category: 'top' },
  { trial_image: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF', trial_item_category: 'bottom' },
];
const skirt = categoryByKey('skirt')?.publicId ?? exampleId;
const productOnModel = { product_image_s3_key: exampleStorageKey, output_preset: 'portrait', seed: 7 };

/** A line for each workflow of the domain's table; the compiler misses the one that is not here. */
export const workflowBodies: Readonly<Record<WorkflowName, WorkflowBody>> = {
  'try-on': body({
    shape: TryOnBody,
    summary: 'Dress the person of a photograph with up to six garments',
    examples: { outfit: { user_image: exampleId, items } },
  }),
  'model-generator': body({
    shape: ModelGeneratorBody,
    summary:
      'Draw a fashion model from a casting profile, or carry an approved portrait into a full-length figure',
    examples: {
      portrait: {
        gender: 'FEMALE',
        ethnicity: 'indian',
        heritage: 'south_indian',
        age_range: '22-26',
        seed: 7,
      },
      full_body: { generation_stage: 'full_body', portrait_image_public_id: exampleId },
    },
    problems: modelGeneratorProblems,
  }),
  'background-generator': body({
    shape: BackgroundGeneratorBody,
    summary: 'Draw a scene to set figures in',
    examples: {
      authoring: {
        authoring: {
          display_name: 'North courtyard',
          setting: 'outdoor_location',
          photographic_register: 'real_photo',
          topology: { preset: 'courtyard_veranda' },
          subject_zone: { preset: 'framed_between_sides' },
          supported_crops: ['full', 'three_quarter'],
          ground: { preset: 'stone_paving' },
          light: { preset: 'custom', custom_text: 'late sun through a screen of leaves' },
          palette: ['limewash', 'terracotta'],
          scene_anchors: ['arched doorway', 'olive tree in a pot'],
        },
        resolution: '2K',
      },
      legacy: { scene_type: 'rooftop terrace', mood: 'calm', dominant_colors: ['sand', '#8a9a82'] },
    },
    problems: backgroundGeneratorProblems,
  }),
  'complementary-garment-generator': body({
    shape: ComplementaryGarmentGeneratorBody,
    summary: 'Draw a styling item that goes with a garment',
    examples: {
      authoring: {
        garment_category_public_id: skirt,
        authoring: {
          primary_colour: 'sage',
          material: 'linen',
          form: { preset: 'a-line' },
          length: { preset: 'custom', custom_text: 'just below the knee' },
          distinctive_details: [{ preset: 'patch pockets' }],
        },
      },
      attributes: {
        garment_category_public_id: skirt,
        attributes: { colour: 'rust', material: 'wool', fit: 'slim' },
      },
      flat: { garment_category_public_id: skirt, color: 'navy', pattern: 'striped', fit: 'regular' },
    },
    problems: complementaryGarmentProblems,
  }),
  'product-to-model-direct': body({
    shape: ProductToModelDirectBody,
    summary: 'Set the garment of a product photograph on a model',
    examples: {
      upload: productOnModel,
      product: { product_id: exampleId, model_image_public_id: exampleId },
    },
    problems: productToModelProblems,
  }),
  'product-to-model-phased': body({
    shape: ProductToModelPhasedBody,
    summary: 'The same in phases, each of them a stage with a picture of its own',
    examples: { upload: productOnModel },
    problems: productToModelProblems,
  }),
  'background-swap-with-image': body({
    shape: BackgroundSwapWithImageBody,
    summary: 'Cut the subject out and set it before another background',
    examples: {
      upload: { source_image_s3_key: exampleStorageKey, background_image_public_id: exampleId },
      render: { source_render_public_id: exampleId, background_image_public_id: exampleId },
    },
    problems: swapProblems,
  }),
  'background-swap-with-spec': body({
    shape: BackgroundSwapWithSpecBody,
    summary: 'Cut the subject out and set it before a background that is drawn for it',
    examples: {
      render: { source_render_public_id: exampleId, scene_type: 'rooftop terrace', mood: 'calm' },
    },
    problems: swapWithSpecProblems,
  }),
  'model-swap-with-image': body({
    shape: ModelSwapWithImageBody,
    summary: 'Keep the garment, and put it on another model',
    examples: {
      render: {
        source_render_public_id: exampleId,
        model_image_public_id: exampleId,
        output_preset: 'portrait',
      },
    },
    problems: swapProblems,
  }),
  extract: body({
    shape: ExtractBody,
    summary: 'Find the garments of a picture and cut each of them out',
    examples: { upload: { trial_image: exampleStorageKey, extraction_context: { max_items: 3 } } },
  }),
  look: body({
    shape: LookBody,
    summary: 'Style a model with up to six garments',
    examples: { outfit: { model_image_public_id: exampleId, items } },
  }),
  'catalog-shots': body({
    shape: CatalogShotsBody,
    summary: 'Compose garments onto a preset model, background and shot, in 2:3',
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
  }),
  'pdp-extractions': body({
    shape: PdpExtractionsBody,
    summary: 'Read a product-page photograph back into background, person, garment and photography recipe',
    examples: { photograph: { pdp_image_public_id: exampleId, product_name: 'Linen midi skirt' } },
  }),
  'pdp-batch-extractions': body({
    shape: PdpBatchExtractionsBody,
    summary: 'The same for up to ten photographs of one shoot',
    examples: {
      automatic: {
        photos: [{ pdp_image_public_id: exampleId, product_name: 'Linen midi skirt' }],
      },
      grouped: {
        photos: [{ pdp_image_public_id: exampleId }, { pdp_image_public_id: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF' }],
        grouping: { person_groups: [{ member_indices: [0, 1], confidence: 0.9 }], location_groups: [] },
      },
    },
    problems: pdpBatchProblems,
  }),
};

/** Keeps each line's own type until it is in the table. */
function body<T extends object>(line: WorkflowBody<T>): WorkflowBody {
  return line;
}
