import { describe, expect, it } from 'vitest';
import { sandboxAlone, sandboxModel, type ImageModel, type ModelList } from '#platform/image-models.js';
import { workflows } from '#workflows/workflows.js';
import { bodiesOf } from './bodies/declared-bodies.js';
import { makeThings, picture } from './bodies/things.js';
import { ApiService } from './support/api-service.js';
import { expectError } from './support/api-client.js';
import { untilEnd } from '../support/until-end.js';

/** A model that is given each picture by its part: it has places for a person, a garment and a place. */
const parted: ImageModel = {
  ...sandboxModel,
  id: 'parted',
  family: 'fal',
  workflows: ['try-on', 'look', 'product-to-model-phased'],
  max_inputs: 3,
  options: { fields: { person: 'p', garment: 'g', scene: 's' } },
};
const pair: ImageModel = {
  ...sandboxModel,
  id: 'pair',
  family: 'openai',
  max_inputs: 2,
  workflows: ['product-to-model-phased'],
};

/**
 * A model that can do little, one that swaps, and the sandbox. The sandbox draws for all of them here: nothing
 * is rendered.
 */
const small = {
  ...sandboxModel,
  id: 'small',
  max_inputs: 2,
  resolutions: ['1K'],
  aspect_ratios: ['1:1', '2:3'],
  seed: false,
  supports_quality: false,
};
const swapper = { ...sandboxModel, id: 'swapper', workflows: ['model-swap-with-image'] };

const service = untilEnd(await ApiService.start());
const tenant = await service.openTenant({ credits: 1_000 });
const tester = await service.openTenant({ credits: 1_000, environment: 'test' });
const imageModels: ModelList = {
  ...sandboxAlone,
  models: [sandboxModel, small, swapper, parted, pair],
  workflow_models: { 'model-swap-with-image': 'swapper' },
  tenant_models: { [tenant.id]: 'small' },
};
const api = await service.openApi(service.databaseUrl, { imageModels });
const things = await makeThings(service, api, tenant);

const post = (workflow: string, more: object, key = tenant.key) =>
  api.post(`/v1/${workflow}`, key, { ...bodiesOf(workflow, things)[0], ...more });

describe('GET /v1/image-models', () => {
  it('tells which models a request may name, what each can do, and which draws when none is named', async () => {
    const { body } = await api.get('/v1/image-models', tenant.key);
    const all = workflows.map(({ name }) => name);
    expect(body.image_models).toEqual([
      {
        id: 'sketch-1',
        workflows: all,
        usual_for: [],
        max_inputs: 8,
        resolutions: ['1K', '2K', '4K'],
        aspect_ratios: null,
        quality: true,
        seed: true,
      },
      {
        id: 'small',
        workflows: all,
        usual_for: all,
        max_inputs: 2,
        resolutions: ['1K'],
        aspect_ratios: ['1:1', '2:3'],
        quality: false,
        seed: false,
      },
      expect.objectContaining({ id: 'swapper', workflows: ['model-swap-with-image'], usual_for: [] }),
      expect.objectContaining({ id: 'parted', usual_for: [] }),
      expect.objectContaining({ id: 'pair', usual_for: [] }),
    ]);
    const others = (await api.get('/v1/image-models', tester.key)).body.image_models as {
      usual_for: string[];
    }[];
    expect(others.map(({ usual_for: usual }) => usual.length)).toEqual([all.length - 1, 0, 1, 0, 0]);
  });
});

describe('the image model of a job', () => {
  it('is chosen at dispatch, is on record, and is shown', async () => {
    for (const [more, model] of [
      [{ image_model: 'sketch-1' }, 'sketch-1'],
      [{}, 'small'],
    ] as const) {
      const { body } = await api.post('/v1/background-generator', tenant.key, {
        scene_type: 'studio',
        ...more,
      });
      const detail = await api.get(`/v1/jobs/${body.job_id}`, tenant.key);
      expect(detail.body.image_model).toBe(model);
    }
  });
});

describe('what a model cannot do', () => {
  const model = { image_model: 'small' };
  const cases: (readonly [workflow: string, more: object, field: string, says: RegExp])[] = [
    [
      'look',
      { ...model, resolution: '2K' },
      'body.resolution',
      /must be one of 1K with the image model small/,
    ],
    ['look', { ...model, aspect_ratio: '16:9' }, 'body.aspect_ratio', /must be one of 1:1, 2:3 with/],
    [
      'look',
      { ...model, output_preset: 'story' },
      'body.output_preset',
      /is 9:16, which the image model small/,
    ],
    ['look', { ...model, seed: 7 }, 'body.seed', /takes no seed/],
    ['look', { image_model: 'swapper' }, 'body.image_model', /must be one of: sketch-1, small, parted$/],
    ['look', { image_model: 'gone' }, 'body.image_model', /must be one of: sketch-1, small, parted$/],
    ['catalog-shots', { model: 'swapper' }, 'body.model', /must be one of: sketch-1, small$/],
  ];

  it.each(cases)('is refused and not charged: %s %j', async (workflow, more, field, says) => {
    const before = (await api.get('/v1/credits', tenant.key)).body.balance as number;
    const answer = await post(workflow, more);
    expectError(answer, 422, 'VALIDATION_ERROR');
    const problems = answer.body.detail as { loc: unknown[]; msg: string }[];
    expect(problems.map(({ loc }) => loc.join('.'))).toEqual([field]);
    expect(problems[0]?.msg).toMatch(says);
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(before);
  });

  it('is a picture without a place, or one more than it takes in any of its steps', async () => {
    const body = (item: object[]) => ({ image_model: 'parted', items: item, user_image: things.assetId });
    const top = { trial_image: things.assetId, trial_item_category: 'top' };
    const says = async (workflow: string, sent: object) => {
      const answer = await api.post(`/v1/${workflow}`, tenant.key, sent);
      expectError(answer, 422, 'VALIDATION_ERROR');
      return (answer.body.detail as { msg: string }[]).map(({ msg }) => msg);
    };
    expect(await says('try-on', body([top, top]))).toEqual([
      'names a picture (garment) for which the image model parted has no place',
    ]);
    const phased = { product_id: things.productId, background_image_public_id: things.assetId };
    expect(await says('product-to-model-phased', { ...phased, image_model: 'pair' })).toEqual([
      'names more pictures than the 2 that the image model pair takes',
    ]);
    expect((await api.post('/v1/try-on', tenant.key, body([top]))).status).toBe(202);
    const placed = await api.post('/v1/product-to-model-phased', tenant.key, {
      ...phased,
      image_model: 'parted',
    });
    expect(placed.status).toBe(202);
  });

  it('is no reason to refuse what it can do', async () => {
    for (const more of [{ resolution: '1K' }, { aspect_ratio: '2:3' }, { output_preset: 'square' }])
      expect((await post('look', { ...model, ...more })).status).toBe(202);
  });
});

describe('a photograph of a person', () => {
  const item = () => [{ trial_image: things.assetId, trial_item_category: 'top' }];
  const cases: [workflow: string, body: () => object, loc: unknown[], says: RegExp][] = [
    [
      'try-on',
      () => ({ user_image: things.assetId, items: item() }),
      ['body', 'user_image'],
      /^must name a model of the catalogue or a picture of a person that was generated here with the image model sketch-1; for photographs of people, use parted$/,
    ],
    [
      'look',
      () => ({ model_image_public_id: things.assetId, items: item() }),
      ['body', 'model_image_public_id'],
      /; for photographs of people, use parted$/,
    ],
    [
      'product-to-model-direct',
      () => ({ product_id: things.productId, model_image_public_id: things.assetId }),
      ['body', 'model_image_public_id'],
      /; no image model that this key may use accepts photographs of people$/,
    ],
    [
      'product-to-model-phased',
      () => ({ product_id: things.productId, model_image_public_id: things.assetId }),
      ['body', 'model_image_public_id'],
      /; for photographs of people, use parted, pair$/,
    ],
    [
      'model-generator',
      () => ({ generation_stage: 'full_body', portrait_image_public_id: things.assetId }),
      ['body', 'portrait_image_public_id'],
      /accepts photographs/,
    ],
    [
      'model-swap-with-image',
      () => ({
        source_image_s3_key: things.uploadKey,
        model_image_public_id: things.renderId,
        output_preset: 'square',
      }),
      ['body', 'source_image_s3_key'],
      /^must name a picture of a dressed person that was generated here with the image model small; /,
    ],
  ];

  it.each(cases)(
    'is refused by the sandbox, and in a dry run, and costs nothing: %s',
    async (workflow, body, loc, says) => {
      const before = (await api.get('/v1/credits', tenant.key)).body.balance as number;
      // A swap names no image model. The tenant's model draws it, which is a sandbox model as well.
      const sent = workflow === 'model-swap-with-image' ? body() : { image_model: 'sketch-1', ...body() };
      for (const path of [`/v1/${workflow}`, `/v1/${workflow}?dry_run=true`]) {
        const answer = await api.post(path, tenant.key, sent);
        expectError(answer, 422, 'VALIDATION_ERROR');
        expect(answer.body.detail).toEqual([{ loc, msg: expect.stringMatching(says), type: 'value' }]);
        expect(answer.body.error.message).toMatch(/Nothing was charged/);
      }
      expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(before);
    },
  );

  it('is taken by a model that works on photographs, and by the sandbox where it was drawn here', async () => {
    const dressed = { items: item() };
    const photographed = await api.post('/v1/try-on', tenant.key, {
      ...dressed,
      user_image: things.assetId,
      image_model: 'parted',
    });
    expect(photographed.status).toBe(202);
    const drawn = { ...dressed, user_image: things.renderId, image_model: 'sketch-1' };
    expect((await api.post('/v1/try-on', tenant.key, drawn)).status).toBe(202);
  });

  it('is refused for test keys that draw with the sandbox, whatever model they name', async () => {
    const upload = await api.upload(tester.key, await picture('png'));
    const answer = await api.post('/v1/try-on', tester.key, {
      user_image: upload.body.asset_id,
      items: [{ trial_image: upload.body.asset_id, trial_item_category: 'top' }],
      image_model: 'parted',
    });
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(answer.body.error.message).toMatch(/no image model that this key may use/);
  });
});
