import { categoryByKey } from '#domain/garment/garment-categories.js';
import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { installation } from '#application/command-context.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import { newId } from '#platform/ids.js';
import { expectError, type Answer } from './support/api-client.js';
import { contextOf, type Tenant } from './support/api-service.js';
import {
  aPicture,
  inputsOf,
  makePictures,
  storageOf,
  uploadPicture,
  type MadeKind,
} from './support/made-pictures.js';
import { publishPreset, retirePreset } from '../support/operator.js';
import { openWorld } from './support/world.js';

// Runs without a projector: each thing that is named here is found as soon as its own request is answered.
const { service, api, tenant } = await openWorld({ projector: false, credits: 10_000 });
const stranger = await service.openTenant({ credits: 10_000 });

const upload = (owner = tenant) => uploadPicture(api, owner);
const make = (...kinds: MadeKind[]) => makePictures(api, service, tenant, ...kinds);

const dispatch = (workflow: string, body: object, { key }: Tenant = tenant): Promise<Answer> =>
  api.post(`/v1/${workflow}`, key, body);

/** The inputs of the job that an accepted dispatch has queued. */
async function queuedWith(answer: Answer) {
  expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 202, error: undefined });
  return inputsOf(service, tenant, answer.body.job_id as string);
}

async function preset(kind: PresetKind, spec: Record<string, unknown> = {}): Promise<string> {
  const id = newId();
  const preview = await sharp({ create: { width: 4, height: 6, channels: 3, background: '#456' } })
    .jpeg()
    .toBuffer();
  const context = contextOf('live', installation);
  await publishPreset(service.store, storageOf(service), context, { id, kind, label: kind, spec, preview });
  return id;
}

async function shot(more: Record<string, unknown> = {}) {
  return {
    garment_image_asset_refs: [(await upload()).assetId],
    product_title: 'Tee',
    model_preset_id: await preset('model', { gender: 'FEMALE' }),
    background_preset_id: await preset('background'),
    shot_preset_id: await preset('shot'),
    ...more,
  };
}

/** Expects the same 404 as for an id that never existed; the message names the field. */
async function expectUnknown(workflow: string, body: object, field: string, owner = tenant): Promise<void> {
  const answer = await dispatch(workflow, body, owner);
  expectError(answer, 404, 'RESOURCE_NOT_FOUND');
  expect(answer.body.error.message).toContain(` ${field} `);
}

describe('a storage key', () => {
  it('is the upload_key of an upload, or the s3_key of what a job made, which brings its meta', async () => {
    const { assetId, uploadKey } = await upload();
    expect(await queuedWith(await dispatch('extract', { trial_image: uploadKey }))).toEqual([
      { name: 'trial_image', assetId, storageKey: uploadKey, sha256: expect.any(String) },
    ]);
    const { artifacts } = await make({ kind: 'on_model_render', meta: { pose: 'walking' } });
    const answer = await dispatch('extract', { trial_image: artifacts[0]!.storageKey });
    expect(await queuedWith(answer)).toMatchObject([
      { assetId: artifacts[0]!.assetId, meta: { pose: 'walking' } },
    ]);
  });

  it('may be the asset id instead, of the caller’s own', async () => {
    const { assetId, uploadKey } = await upload();
    expect(await queuedWith(await dispatch('extract', { trial_image: assetId }))).toMatchObject([
      { name: 'trial_image', assetId, storageKey: uploadKey },
    ]);
    await expectUnknown('extract', { trial_image: (await upload(stranger)).assetId }, 'trial_image');
  });

  it('is refused where an asset id is asked for, with a word on which of the two is meant', async () => {
    const { uploadKey } = await upload();
    const answer = await dispatch('pdp-extractions', { pdp_image_public_id: uploadKey });
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(answer.body.detail).toMatchObject([
      { loc: ['body', 'pdp_image_public_id'], msg: expect.stringContaining('asset_id') },
    ]);
  });

  it('is unknown when it is not to the letter the key of a picture of the caller’s own', async () => {
    const { body } = await api.upload(tenant.key, await aPicture());
    const { upload_key: uploadKey, image_url: url } = body;
    const foreign = (await upload(stranger)).uploadKey;
    const wrong = [
      uploadKey.replace('.png', '.jpg'),
      uploadKey.replace('live/', 'test/'),
      uploadKey.replace('/uploads/', '/renders/'),
      `https://example.org/${uploadKey}`,
      `/${uploadKey}`,
      `${uploadKey}\n`,
      'file:///etc/passwd',
      '../../etc/passwd',
      url.slice(0, 512),
      foreign,
    ];
    for (const key of wrong) await expectUnknown('extract', { trial_image: key }, 'trial_image');
  });
});

describe('a picture', () => {
  const background = async (id: string) => ({
    source_image_s3_key: (await upload()).uploadKey,
    background_image_public_id: id,
  });

  it('goes by its asset id, whoever made it, with what its job said of it', async () => {
    const { assetId } = await upload();
    const [, uploaded] = await queuedWith(
      await dispatch('background-swap-with-image', await background(assetId)),
    );
    expect(uploaded).toMatchObject({ name: 'background_image', assetId });
    expect(uploaded).not.toHaveProperty('meta');
    const { artifacts } = await make({ kind: 'background', meta: { scene: { setting: 'studio_set' } } });
    const answer = await dispatch('background-swap-with-image', await background(artifacts[0]!.assetId));
    expect((await queuedWith(answer))[1]).toMatchObject({
      assetId: artifacts[0]!.assetId,
      meta: { scene: { setting: 'studio_set' } },
    });
  });

  it('goes by the id of a job as well, which stands for the first final picture that it made', async () => {
    const { jobId, artifacts } = await make(
      { kind: 'croquis', role: 'intermediate' },
      { kind: 'background', meta: { seed: 1 } },
      { kind: 'background', meta: { seed: 2 } },
    );
    const answer = await dispatch('background-swap-with-image', await background(jobId));
    expect((await queuedWith(answer))[1]).toMatchObject({
      assetId: artifacts[1]!.assetId,
      meta: { seed: 1 },
    });
  });

  it('is unknown when it is another tenant’s, of the other environment, or of a job that is not over', async () => {
    const queued = await dispatch('model-generator', {});
    const sandbox = await service.openTenant({ environment: 'test' });
    const unknown = [
      newId(),
      queued.body.job_id as string,
      (await upload(stranger)).assetId,
      (await upload(sandbox)).assetId,
    ];
    for (const id of unknown) {
      await expectUnknown('background-swap-with-image', await background(id), 'background_image_public_id');
    }
    const { jobId } = await make({ kind: 'background' });
    const body = { ...(await background(jobId)), source_image_s3_key: (await upload(stranger)).uploadKey };
    await expectUnknown('background-swap-with-image', body, 'background_image_public_id', stranger);
  });

  it('in an array is numbered for the engine, and named exactly when it is unknown', async () => {
    const items = [(await upload()).assetId, (await upload()).assetId];
    const { artifacts } = await make({ kind: 'model_full_body', meta: { seed: 1 } });
    const user = artifacts[0]!.assetId;
    const body = (trial: string[]) => ({
      user_image: user,
      items: trial.map((id) => ({ trial_image: id, trial_item_category: 'top' })),
    });
    const inputs = await queuedWith(await dispatch('try-on', body(items)));
    expect(inputs.map(({ name, assetId }) => [name, assetId])).toEqual([
      ['user_image', user],
      ['item-0', items[0]],
      ['item-1', items[1]],
    ]);
    await expectUnknown('try-on', body([items[0]!, newId()]), 'items[1].trial_image');
  });
});

describe('a render', () => {
  const swap = (id: string, background: string) => ({
    source_render_public_id: id,
    background_image_public_id: background,
  });

  it('goes by its job, and by nothing else', async () => {
    const { assetId } = await upload();
    const { jobId, artifacts } = await make({ kind: 'on_model_render' });
    const [source] = await queuedWith(await dispatch('background-swap-with-image', swap(jobId, assetId)));
    expect(source).toMatchObject({ name: 'source_image', assetId: artifacts[0]!.assetId });
    const field = 'source_render_public_id';
    await expectUnknown('background-swap-with-image', swap(artifacts[0]!.assetId, assetId), field);
    await expectUnknown('background-swap-with-image', swap(newId(), assetId), field);
    const own = (await upload(stranger)).assetId;
    await expectUnknown('background-swap-with-image', swap(jobId, own), field, stranger);
  });
});

describe('a product', () => {
  async function product(owner = tenant, picture?: string) {
    const body = { upload_asset_public_id: picture ?? (await upload(owner)).assetId, title: 'Tee' };
    return (await api.post('/v1/products', owner.key, body)).body.public_id as string;
  }

  it('stands for its primary picture', async () => {
    const { artifacts } = await make({ kind: 'extracted_garment', meta: { slot: 'top' } });
    const productId = await product(tenant, artifacts[0]!.assetId);
    expect(
      await queuedWith(await dispatch('product-to-model-direct', { product_id: productId })),
    ).toMatchObject([{ name: 'product_image', assetId: artifacts[0]!.assetId, meta: { slot: 'top' } }]);
  });

  it('is unknown when it is another tenant’s, or archived', async () => {
    const field = 'product_id';
    await expectUnknown('product-to-model-direct', { product_id: newId() }, field);
    await expectUnknown('product-to-model-direct', { product_id: await product(stranger) }, field);
    const productId = await product();
    const archive = { key: tenant.key, json: { status: 'archived' } };
    expect((await api.call('PATCH', `/v1/products/${productId}`, archive)).status).toBe(200);
    await expectUnknown('product-to-model-direct', { product_id: productId }, field);
  });
});

describe('a preset', () => {
  it('brings its preview and its recipe', async () => {
    const body = await shot();
    const inputs = await queuedWith(await dispatch('catalog-shots', body));
    expect(inputs.map(({ name }) => name)).toEqual(['garment-0', 'model', 'background', 'shot']);
    expect(inputs[1]).toMatchObject({
      assetId: body.model_preset_id,
      storageKey: expect.stringMatching(/^presets\//),
      meta: { gender: 'FEMALE' },
    });
  });

  it('can be an entry of the caller’s own catalogue that shows the like', async () => {
    const { artifacts } = await make(
      { kind: 'person', meta: { gender: 'MALE' } },
      { kind: 'background_plate' },
      { kind: 'photography_recipe', meta: { framing: 'close' } },
      { kind: 'garment' },
    );
    const [person, plate, recipe, garment] = artifacts.map(({ assetId }) => assetId);
    const body = await shot({
      model_preset_id: person,
      background_preset_id: plate,
      shot_preset_id: recipe,
    });
    expect((await queuedWith(await dispatch('catalog-shots', body))).slice(1)).toMatchObject([
      { assetId: person, meta: { gender: 'MALE' } },
      { assetId: plate },
      { assetId: recipe, meta: { framing: 'close' } },
    ]);
    await expectUnknown('catalog-shots', { ...body, model_preset_id: garment }, 'model_preset_id');
    await expectUnknown('catalog-shots', { ...body, shot_preset_id: plate }, 'shot_preset_id');
    const theirs = { ...body, garment_image_asset_refs: [(await upload(stranger)).assetId] };
    await expectUnknown('catalog-shots', theirs, 'model_preset_id', stranger);
  });

  it('is unknown when it is of another kind, retired, of the other environment, or an upload', async () => {
    const retired = await preset('model');
    await retirePreset(service.store, contextOf('live', installation), retired, 'dated');
    const unknown = [newId(), retired, await preset('shot'), (await upload()).assetId];
    const body = await shot();
    for (const id of unknown) {
      await expectUnknown('catalog-shots', { ...body, model_preset_id: id }, 'model_preset_id');
    }
    const sandbox = await service.openTenant({ environment: 'test' });
    const there = { ...body, garment_image_asset_refs: [(await upload(sandbox)).assetId] };
    await expectUnknown('catalog-shots', there, 'model_preset_id', sandbox);
  });
});

describe('a garment category', () => {
  const garment = (id: string) => ({ garment_category_public_id: id, color: 'navy' });

  it('gives the engine no picture, and has to be known', async () => {
    const category = categoryByKey('t_shirt')!.publicId;
    const answer = await dispatch('complementary-garment-generator', garment(category));
    expect(await queuedWith(answer)).toEqual([]);
    await expectUnknown('complementary-garment-generator', garment(newId()), 'garment_category_public_id');
  });
});
