import { describe, expect, it } from 'vitest';
import { complaints, expectError } from '../support/api-client.js';
import { sandboxAlone, sandboxModel } from '#platform/image-models.js';
import { bodiesOf, exampleBodies, wideModel, type Body } from './declared-bodies.js';
import { makeThings } from './things.js';
import { eventsIn } from '../../support/streams.js';
import { openWorld } from '../support/world.js';

const narrow = { ...sandboxModel, id: 'narrow', max_inputs: 2 };
const imageModels = { ...sandboxAlone, models: [narrow, wideModel] };
const { service, api, tenant } = await openWorld({ configuration: { imageModels } });
const things = await makeThings(service, api, tenant);
/** A scene and a garment, each described the canonical way. */
const [authoring, garment] = ['background-generator', 'complementary-garment-generator'].map(
  (workflow) => exampleBodies(workflow, things)['authoring']?.['authoring'] as Body,
);

/** The places that the answer complains about; empty when the body is accepted. */
async function wrong(workflow: string, body: unknown): Promise<string[]> {
  const answer = await api.post(`/v1/${workflow}?dry_run=true`, tenant.key, body);
  if (answer.status === 200) return [];
  expectError(answer, 422, 'VALIDATION_ERROR');
  return complaints(answer);
}

describe('model-generator', () => {
  it('takes heritage with ethnicity indian only', async () => {
    const heritage = 'south_indian';
    expect(await wrong('model-generator', { heritage, ethnicity: 'indian' })).toEqual([]);
    expect(await wrong('model-generator', { heritage })).toEqual(['body.heritage']);
    expect(await wrong('model-generator', { heritage, ethnicity: 'east_asian' })).toEqual(['body.heritage']);
  });

  it('carries a portrait into a full body, and then casts nobody', async () => {
    const full = { generation_stage: 'full_body' };
    expect(await wrong('model-generator', full)).toEqual(['body.portrait_image_public_id']);
    const { renderId } = things;
    expect(await wrong('model-generator', { ...full, portrait_image_public_id: renderId })).toEqual([]);
    const good = { ...full, model_spec_public_id: renderId };
    expect(await wrong('model-generator', good)).toEqual([]);
    const casting = {
      gender: 'MALE',
      ethnicity: 'indian',
      heritage: 'south_indian',
      body_type: 'slim',
      age_range: '18-22',
    };
    for (const [field, value] of Object.entries(casting)) {
      expect(await wrong('model-generator', { ...good, [field]: value })).toEqual([`body.${field}`]);
    }
  });
});

describe('background-generator', () => {
  it('takes authoring or the legacy description, not both', async () => {
    const legacy = { scene_type: 'shore', mood: 'calm', dominant_colors: ['sand'] };
    expect(await wrong('background-generator', {})).toEqual([]);
    expect(await wrong('background-generator', legacy)).toEqual([]);
    expect(await wrong('background-generator', { authoring, ...legacy })).toEqual([
      'body.scene_type',
      'body.mood',
      'body.dominant_colors',
    ]);
    const more = { background_public_id: things.assetId, pilot_brand: 'b', metadata: {}, seed: 1 };
    expect(await wrong('background-generator', { authoring, ...more })).toEqual([]);
  });

  it.each(['topology', 'subject_zone', 'ground', 'light'])('wants words for a custom %s', async (field) => {
    const body = (choice: object) => ({ authoring: { ...authoring, [field]: choice } });
    const place = `body.authoring.${field}.custom_text`;
    expect(await wrong('background-generator', body({ preset: 'custom' }))).toEqual([place]);
    const said = { preset: 'custom', custom_text: 'as in a dream' };
    expect(await wrong('background-generator', body(said))).toEqual([]);
  });
});

describe('complementary-garment-generator', () => {
  const post = (body: object) =>
    wrong('complementary-garment-generator', { garment_category_public_id: things.categoryId, ...body });
  const attributes = { colour: 'sage' };

  it('takes one of its three forms', async () => {
    const flat = { color: 'sage', material: 'wool', pattern: 'plain', fit: 'slim', length: 'midi' };
    for (const form of [{}, { authoring: garment }, { attributes }, { attributes: {} }, flat]) {
      expect(await post(form)).toEqual([]);
    }
    const flatFields = Object.keys(flat).map((field) => `body.${field}`);
    expect(await post({ attributes, ...flat })).toEqual(flatFields);
    expect(await post({ authoring: garment, ...flat })).toEqual(flatFields);
    expect(await post({ authoring: garment, attributes })).toEqual(['body.attributes']);
    expect(await post({ attributes: {}, fit: 'slim' })).toEqual(['body.fit']);
  });

  it('wants words for what is custom', async () => {
    const custom = { preset: 'custom' };
    const place = 'body.authoring';
    expect(await post({ authoring: { ...garment, form: custom } })).toEqual([`${place}.form.custom_text`]);
    expect(await post({ authoring: { ...garment, length: custom } })).toEqual([
      `${place}.length.custom_text`,
    ]);
    const details = [{ preset: 'pockets' }, custom];
    expect(await post({ authoring: { ...garment, distinctive_details: details } })).toEqual([
      `${place}.distinctive_details.1.custom_text`,
    ]);
  });
});

describe('a swap', () => {
  const swaps = ['background-swap-with-image', 'background-swap-with-spec', 'model-swap-with-image'] as const;

  it.each(swaps)('%s takes exactly one source', async (swap) => {
    const { source_render_public_id: source, ...rest } = exampleBodies(swap, things)['render'] as Body;
    const key = swap === 'model-swap-with-image' ? things.renderKey : things.uploadKey;
    const body = { ...rest, source_image_s3_key: key };
    expect(await wrong(swap, body)).toEqual([]);
    const both = { ...body, source_render_public_id: source };
    expect(await wrong(swap, both)).toEqual(['body.source_image_s3_key']);
    const neither = { ...body, source_image_s3_key: null };
    expect(await wrong(swap, neither)).toEqual(['body.source_image_s3_key']);
  });

  it('with a spec wants one thing at least that the scene is', async () => {
    const source = { source_image_s3_key: things.uploadKey };
    expect(await wrong('background-swap-with-spec', source)).toEqual(['body.scene_type']);
    for (const one of [{ scene_type: 'shore' }, { mood: 'calm' }, { dominant_colors: ['sand'] }]) {
      expect(await wrong('background-swap-with-spec', { ...source, ...one })).toEqual([]);
    }
  });
});

describe.each(['product-to-model-direct', 'product-to-model-phased'])('%s', (workflow) => {
  it('takes exactly one garment', async () => {
    const both = { product_image_s3_key: things.uploadKey, product_id: things.productId };
    for (const body of [{}, both]) expect(await wrong(workflow, body)).toEqual(['body.product_image_s3_key']);
  });
});

describe('pdp-batch-extractions', () => {
  it('takes groups at face value, as long as their photographs are there', async () => {
    const photo = { pdp_image_public_id: things.assetId };
    const post = (grouping: object) => wrong('pdp-batch-extractions', { photos: [photo, photo], grouping });
    const overlapping = [{ member_indices: [0, 1] }, { member_indices: [1] }, { member_indices: [1, 1, 0] }];
    expect(await post({})).toEqual([]);
    expect(await post({ person_groups: overlapping, location_groups: [{ member_indices: [] }] })).toEqual([]);
    const groups = [{ member_indices: [0] }, { member_indices: [1, 2] }];
    expect(await post({ person_groups: groups, location_groups: [{ member_indices: [9] }] })).toEqual([
      'body.grouping.person_groups.1.member_indices.1',
      'body.grouping.location_groups.0.member_indices.0',
    ]);
  });
});

describe('catalog-shots', () => {
  const post = (garments: number, more: object = {}) => {
    const [body] = bodiesOf('catalog-shots', things);
    const refs = Array.from({ length: garments }, () => things.assetId);
    return wrong('catalog-shots', { ...body, model: undefined, garment_image_asset_refs: refs, ...more });
  };

  it('takes as many garments as its image model takes pictures', async () => {
    expect(await post(2)).toEqual([]);
    expect(await post(3)).toEqual(['body.garment_image_asset_refs']);
    expect(await post(3, { model: 'narrow' })).toEqual(['body.garment_image_asset_refs']);
    expect(await post(16, { model: wideModel.id })).toEqual([]);
  });

  it('does not take presets for one another', async () => {
    const { model, background, shot } = things.presets;
    const [body] = bodiesOf('catalog-shots', things);
    for (const [field, preset] of [
      ['model_preset_id', background],
      ['background_preset_id', shot],
      ['shot_preset_id', model],
    ] as const) {
      const answer = await api.post('/v1/catalog-shots?dry_run=true', tenant.key, {
        ...body,
        [field]: preset,
      });
      expectError(answer, 404, 'RESOURCE_NOT_FOUND');
    }
  });

  it('drops quality for a model that does not know it, and keeps it for one that does', async () => {
    const [body] = bodiesOf('catalog-shots', things);
    for (const [model, kept] of [
      ['narrow', 'high'],
      [wideModel.id, undefined],
    ] as const) {
      const answer = await api.post('/v1/catalog-shots', tenant.key, {
        ...body,
        product_title: 'Skirt',
        model,
        quality: 'high',
      });
      expect(answer.status).toBe(202);
      const [queued] = await eventsIn(service.store, `live.job-${answer.body.job_id}`);
      const { request } = queued!.data as { request: Record<string, unknown> };
      expect(request).toMatchObject({ model, product_title: 'Skirt' });
      expect(request['quality']).toBe(kept);
    }
  });
});

it('an image model that is not there is answered with those that are', async () => {
  const answer = await api.post('/v1/look', tenant.key, {
    ...bodiesOf('look', things)[0],
    image_model: 'dall-e',
  });
  expectError(answer, 422, 'VALIDATION_ERROR');
  expect(answer.body.detail).toEqual([
    { loc: ['body', 'image_model'], msg: `must be one of: narrow, ${wideModel.id}`, type: 'enum' },
  ]);
});
