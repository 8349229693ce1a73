import type { WorkflowName } from '#domain/workflow/workflows.js';
import type { Path } from './field-cases.js';
import type { Things } from './things.js';

type Body = Readonly<Record<string, unknown>>;

/**
 * Bodies that are accepted. Between them they have every field in place that has fields or items of its own, and every
 * field that another one excludes: a case for a field is put into the first body that has it, or else into the first.
 */
export function baseBodies(things: Things): Readonly<Record<WorkflowName, readonly Body[]>> {
  const { assetId, renderId, uploadKey, productId, categoryId, presets } = things;
  const item = { trial_image: assetId, trial_item_category: 'top' };
  const photo = { pdp_image_public_id: assetId };
  const key = { source_image_s3_key: uploadKey };
  const render = { source_render_public_id: renderId };
  const productToModel = [
    { product_image_s3_key: uploadKey, model_image_public_id: assetId, background_image_public_id: renderId },
    { product_id: productId },
  ];
  const swapImage = { background_image_public_id: assetId };
  const swapModel = { model_image_public_id: assetId, output_preset: 'square' };
  const swapSpec = { scene_type: 'shore', mood: 'calm', dominant_colors: ['sand'] };
  return {
    'try-on': [{ user_image: assetId, items: [item] }],
    'model-generator': [
      {},
      { generation_stage: 'full_body', model_spec_public_id: renderId, portrait_image_public_id: assetId },
    ],
    'background-generator': [
      { authoring: authoring, background_public_id: assetId },
      { scene_type: 'shore', mood: 'calm', dominant_colors: ['sand'] },
    ],
    'complementary-garment-generator': [
      { garment_category_public_id: categoryId, authoring: garment },
      { garment_category_public_id: categoryId, attributes: { colour: 'sage' } },
      {
        garment_category_public_id: categoryId,
        ...{ color: 'sage', material: 'linen', pattern: 'solid', fit: 'slim', length: 'midi' },
      },
    ],
    'product-to-model-direct': productToModel,
    'product-to-model-phased': productToModel,
    'background-swap-with-image': [
      { ...key, ...swapImage },
      { ...render, ...swapImage },
    ],
    'background-swap-with-spec': [
      { ...key, ...swapSpec },
      { ...render, ...swapSpec },
    ],
    'model-swap-with-image': [
      { ...key, ...swapModel },
      { ...render, ...swapModel },
    ],
    extract: [{ trial_image: uploadKey, extraction_context: { max_items: 2 } }],
    look: [{ model_image_public_id: assetId, items: [item], background_image_public_id: renderId }],
    'catalog-shots': [
      {
        garment_image_asset_refs: [assetId],
        product_title: 'Skirt',
        model_preset_id: presets.model,
        background_preset_id: presets.background,
        shot_preset_id: presets.shot,
        model: wideModel.id,
      },
    ],
    'pdp-extractions': [photo],
    'pdp-batch-extractions': [
      {
        photos: Array.from({ length: 10 }, () => ({ ...photo })),
        grouping: { person_groups: [{ member_indices: [0] }], location_groups: [{ member_indices: [0] }] },
      },
    ],
  };
}

/** As wide as a model can be configured, with an id as long as one can be. */
export const wideModel = {
  id: 'w'.repeat(64),
  family: 'sketch',
  maxInputs: 16,
  supportsQuality: false,
} as const;

export const authoring = {
  display_name: 'Court',
  setting: 'studio_set',
  photographic_register: 'real_photo',
  topology: { preset: 'shallow_wall' },
  subject_zone: { preset: 'central_open' },
  supported_crops: ['full'],
  ground: { preset: 'wood' },
  light: { preset: 'overcast' },
  palette: ['sand'],
  scene_anchors: ['door', 'tree'],
};

export const garment = {
  primary_colour: 'sage',
  material: 'linen',
  form: { preset: 'a-line' },
  length: { preset: 'midi' },
  distinctive_details: [{ preset: 'pockets' }],
};

/** The first of the bodies that has something at the path, or in the place that it leads to; else the first that can. */
export function bodyFor(bodies: readonly Body[], path: Path): Body {
  const having = bodies.find((body) => valueAt(body, path) !== undefined);
  const leading = bodies.find((body) => valueAt(body, path.slice(0, -1)) !== undefined);
  const body = having ?? leading;
  if (!body) throw new Error(`no base body leads to ${path.join('.')}`);
  return body;
}

export function valueAt(body: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (node, part) => (node as Record<string | number, unknown> | undefined)?.[part],
    body,
  );
}

/** A copy of the body with the value in its place; undefined takes the field out. */
export function withValue(body: Body, path: Path, value: unknown): Record<string, unknown> {
  const copy = structuredClone(body) as Record<string, unknown>;
  const parent = valueAt(copy, path.slice(0, -1)) as Record<string | number, unknown>;
  const last = path.at(-1) as string | number;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}
