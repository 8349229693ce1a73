import { workflows } from '#workflows/workflows.js';
import { exampleBodies } from '../api/bodies/declared-bodies.js';
import type { Finished } from './client.js';
import type { Library } from './library.js';

/** One workflow in a customer's use, from the first upload to the finished job. */
export interface Journey {
  readonly workflow: string;
  readonly run: (library: Library) => Promise<Finished>;
}

const written = [
  {
    workflow: 'try-on',
    run: async (library) =>
      library.client.run('try-on', {
        user_image: (await library.fullBody()).job.public_id,
        items: [
          { trial_image: (await library.sample('jumper')).asset_id, trial_item_category: 'top' },
          { trial_image: (await library.sample('trousers')).asset_id, trial_item_category: 'bottom' },
        ],
        seed: 4,
      }),
  },
  { workflow: 'model-generator', run: (library) => library.portrait() },
  { workflow: 'background-generator', run: (library) => library.background() },
  {
    workflow: 'complementary-garment-generator',
    run: async (library) =>
      library.client.run('complementary-garment-generator', {
        garment_category_public_id: await library.category('skirt'),
        authoring: {
          primary_colour: 'terracotta',
          material: 'linen',
          pattern: 'block print floral',
          length: { preset: 'midi' },
          distinctive_details: [{ preset: 'side_slit' }],
        },
        seed: 8,
      }),
  },
  { workflow: 'product-to-model-direct', run: (library) => library.dressed('garment-photograph') },
  {
    workflow: 'product-to-model-phased',
    run: async (library) =>
      library.client.run('product-to-model-phased', {
        product_image_s3_key: (await library.sample('jacket')).upload_key,
        background_image_public_id: (await library.background()).job.public_id,
        output_preset: 'portrait',
        seed: 13,
      }),
  },
  {
    workflow: 'background-swap-with-image',
    run: async (library) =>
      library.client.run('background-swap-with-image', {
        source_render_public_id: (await library.dressed('jumper')).job.public_id,
        background_image_public_id: (await library.background()).job.public_id,
      }),
  },
  {
    workflow: 'background-swap-with-spec',
    run: async (library) =>
      library.client.run('background-swap-with-spec', {
        source_image_s3_key: (await library.photograph('garment-photograph')).upload_key,
        scene_type: 'seaside promenade with a palm tree',
        mood: 'bright summer morning',
        dominant_colors: ['turquoise', 'sand'],
        output_preset: 'portrait',
      }),
  },
  {
    workflow: 'model-swap-with-image',
    run: async (library) =>
      library.client.run('model-swap-with-image', {
        source_render_public_id: (await library.dressed('jumper')).job.public_id,
        model_image_public_id: (await library.otherModel()).job.public_id,
        output_preset: 'portrait',
      }),
  },
  {
    workflow: 'extract',
    run: async (library) =>
      library.client.run('extract', {
        trial_image: (await library.dressed('garment-photograph')).job.result?.artifacts[0]?.s3_key,
        extraction_context: { max_items: 3, product_name: 'Marea dress' },
      }),
  },
  {
    workflow: 'look',
    run: async (library) =>
      library.client.run('look', {
        model_image_public_id: (await library.otherModel()).job.public_id,
        items: [
          { trial_image: (await library.sample('trousers')).asset_id, trial_item_category: 'bottom' },
          { trial_image: (await library.sample('jumper')).asset_id, trial_item_category: 'top' },
          { trial_image: (await library.sample('jacket')).asset_id, trial_item_category: 'outerwear' },
        ],
        background_image_public_id: (await library.background()).job.public_id,
        seed: 6,
      }),
  },
  {
    workflow: 'catalog-shots',
    run: async (library) =>
      library.client.run('catalog-shots', {
        garment_image_asset_refs: [(await library.sample('garment-photograph')).asset_id],
        product_title: 'Marea dress',
        model_preset_id: await library.preset('model', 1),
        background_preset_id: await library.preset('background', 2),
        shot_preset_id: await library.preset('shot'),
      }),
  },
  {
    workflow: 'pdp-extractions',
    run: async (library) =>
      library.client.run('pdp-extractions', {
        pdp_image_public_id: (await library.dressed('garment-photograph')).job.public_id,
        product_name: 'Marea dress',
      }),
  },
  {
    workflow: 'pdp-batch-extractions',
    run: async (library) =>
      library.client.run('pdp-batch-extractions', {
        photos: [
          {
            pdp_image_public_id: (await library.dressed('garment-photograph')).job.public_id,
            product_name: 'Marea dress',
          },
          {
            pdp_image_public_id: (await library.dressed('trousers')).job.public_id,
            product_name: 'Trousers',
          },
          { pdp_image_public_id: (await library.sample('jacket')).asset_id, product_name: 'Jacket' },
        ],
      }),
  },
] as const satisfies readonly Journey[];

export type WrittenJourney = (typeof written)[number]['workflow'];

/** A workflow without a journey here runs the first of its examples. */
const declared = workflows
  .filter(({ name }) => written.every(({ workflow }) => workflow !== name))
  .map(({ name }): Journey => ({
    workflow: name,
    run: async (library) => {
      const [body = {}] = Object.values(exampleBodies(name, await library.things()));
      return library.client.run(name, body);
    },
  }));

export const journeys: readonly Journey[] = [...written, ...declared];
