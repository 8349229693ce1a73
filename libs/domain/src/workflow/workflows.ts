import type { PresetKind } from '../preset/preset.events.js';

export type OperationClass = 'generator' | 'compose' | 'edit' | 'extract';

/**
 * A field of the request body that refers to something, by its path: `[]` stands for each item of an array, as in
 * `items[].trial_image`. Items of an array are numbered for the engine: `item-0`, `item-1`, …
 *
 * - `storage-key`: the `upload_key` of an upload, or the `s3_key` of an artifact.
 * - `picture`: an asset id; or the id of a job, which stands for the first final picture that it made.
 * - `render`: the id of a job only.
 * - `product`: a product, which stands for its primary image.
 * - `preset`: a published preset of that kind; or a catalogue entry of the caller's own that can take its place.
 * - `category`: a garment category. It gives the engine no picture.
 */
export type Reference = { readonly field: string } & (
  | { readonly by: 'storage-key' | 'picture' | 'render' | 'product'; readonly input: string }
  | { readonly by: 'preset'; readonly kind: PresetKind; readonly input: string }
  | { readonly by: 'category' }
);

/** One workflow: what `POST /v1/{name}` is, what it costs, and what its body may refer to. */
export interface Workflow {
  readonly name: string;
  readonly jobType: string;
  readonly opClass: OperationClass;
  /** Flat price of a dispatch in credits, before the operator decides otherwise; of each photograph for a batch. */
  readonly credits: number;
  readonly references: readonly Reference[];
  /** The array whose items each become a job of their own, of that workflow. */
  readonly batch?: { readonly field: string; readonly workflow: string };
}

/** A swap's source is one of the two. */
const source = [
  { field: 'source_image_s3_key', by: 'storage-key', input: 'source_image' },
  { field: 'source_render_public_id', by: 'render', input: 'source_image' },
] as const;

const productToModel = [
  { field: 'product_image_s3_key', by: 'storage-key', input: 'product_image' },
  { field: 'product_id', by: 'product', input: 'product_image' },
  { field: 'model_image_public_id', by: 'picture', input: 'model_image' },
  { field: 'background_image_public_id', by: 'picture', input: 'background_image' },
] as const;

/** Every workflow there is. To add one: a line here, its body in `apps/api`, its renderer in `packages/sketch`. */
export const workflows = [
  {
    name: 'try-on',
    jobType: 'TRY_ON',
    opClass: 'compose',
    credits: 10,
    references: [
      { field: 'user_image', by: 'picture', input: 'user_image' },
      { field: 'items[].trial_image', by: 'picture', input: 'item' },
    ],
  },
  {
    name: 'model-generator',
    jobType: 'MODEL_GENERATOR',
    opClass: 'generator',
    credits: 5,
    references: [
      { field: 'portrait_image_public_id', by: 'picture', input: 'portrait_image' },
      // A model spec goes by the job that minted it, and that job's picture is the portrait.
      { field: 'model_spec_public_id', by: 'picture', input: 'portrait_image' },
    ],
  },
  {
    name: 'background-generator',
    jobType: 'BACKGROUND_GENERATOR',
    opClass: 'generator',
    credits: 5,
    // An existing background, of which a new version is drawn.
    references: [{ field: 'background_public_id', by: 'picture', input: 'background_image' }],
  },
  {
    name: 'complementary-garment-generator',
    jobType: 'COMPLEMENTARY_GARMENT_GENERATOR',
    opClass: 'generator',
    credits: 5,
    references: [{ field: 'garment_category_public_id', by: 'category' }],
  },
  {
    name: 'product-to-model-direct',
    jobType: 'PRODUCT_TO_MODEL_DIRECT',
    opClass: 'compose',
    credits: 10,
    references: productToModel,
  },
  {
    name: 'product-to-model-phased',
    jobType: 'PRODUCT_TO_MODEL_PHASED',
    opClass: 'compose',
    credits: 10,
    references: productToModel,
  },
  {
    name: 'background-swap-with-image',
    jobType: 'BACKGROUND_SWAP_WITH_IMAGE',
    opClass: 'edit',
    credits: 5,
    references: [
      ...source,
      { field: 'background_image_public_id', by: 'picture', input: 'background_image' },
    ],
  },
  {
    name: 'background-swap-with-spec',
    jobType: 'BACKGROUND_SWAP_WITH_SPEC',
    opClass: 'edit',
    credits: 5,
    references: source,
  },
  {
    name: 'model-swap-with-image',
    jobType: 'MODEL_SWAP_WITH_IMAGE',
    opClass: 'edit',
    credits: 5,
    references: [...source, { field: 'model_image_public_id', by: 'picture', input: 'model_image' }],
  },
  {
    name: 'extract',
    jobType: 'EXTRACT',
    opClass: 'extract',
    credits: 1,
    references: [{ field: 'trial_image', by: 'storage-key', input: 'trial_image' }],
  },
  {
    name: 'look',
    jobType: 'LOOK',
    opClass: 'compose',
    credits: 10,
    references: [
      { field: 'model_image_public_id', by: 'picture', input: 'model_image' },
      { field: 'items[].trial_image', by: 'picture', input: 'item' },
      { field: 'background_image_public_id', by: 'picture', input: 'background_image' },
    ],
  },
  {
    name: 'catalog-shots',
    jobType: 'CATALOG_SHOT',
    opClass: 'compose',
    credits: 10,
    references: [
      { field: 'garment_image_asset_refs[]', by: 'picture', input: 'garment' },
      { field: 'model_preset_id', by: 'preset', kind: 'model', input: 'model' },
      { field: 'background_preset_id', by: 'preset', kind: 'background', input: 'background' },
      { field: 'shot_preset_id', by: 'preset', kind: 'shot', input: 'shot' },
    ],
  },
  {
    name: 'pdp-extractions',
    jobType: 'PDP_EXTRACTION',
    opClass: 'extract',
    credits: 4,
    references: [{ field: 'pdp_image_public_id', by: 'picture', input: 'pdp_image' }],
  },
  {
    name: 'pdp-batch-extractions',
    jobType: 'PDP_BATCH_EXTRACTION',
    opClass: 'extract',
    credits: 4,
    references: [{ field: 'photos[].pdp_image_public_id', by: 'picture', input: 'photo' }],
    batch: { field: 'photos', workflow: 'pdp-extractions' },
  },
] as const satisfies readonly Workflow[];

export type WorkflowName = (typeof workflows)[number]['name'];

const byName = new Map<string, Workflow>(workflows.map((workflow) => [workflow.name, workflow]));

/** @throws RangeError for a name that is not in the table */
export function workflowOf(name: string): Workflow {
  const workflow = byName.get(name);
  if (!workflow) throw new RangeError(`there is no workflow ${name}`);
  return workflow;
}
