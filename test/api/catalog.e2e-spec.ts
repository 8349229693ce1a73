import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { garmentCategories } from '#domain/garment/garment-categories.js';
import { streamName } from '#domain/streams.js';
import { ApiService, type Tenant } from './support/api-service.js';
import { expectError, type ApiClient } from './support/api-client.js';
import { inputsOf, makePictures, uploadPicture, type MadeKind } from './support/made-pictures.js';

let service: ApiService;
let api: ApiClient;
let tenant: Tenant;

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(async () => {
  tenant = await service.openTenant({ credits: 500 });
});

const make = (...kinds: MadeKind[]) => makePictures(api, service, tenant, ...kinds);
const list = async (path: string, { key }: Tenant = tenant) => (await api.get(path, key)).body;

const eventsOf = async (assetId: string) => {
  const slice = await service.store.readStream(streamName(tenant.environment, 'asset', assetId));
  if (slice.kind !== 'found') throw new Error(`there is no picture ${assetId}`);
  return slice;
};

/**
 * Waits until the projector has seen the job succeed: this client has not written the success itself, so no
 * read waits for it.
 */
async function over(jobId: string): Promise<void> {
  while ((await api.get(`/v1/renders/${jobId}`, tenant.key)).status === 404);
}

describe('GET /v1/catalog/{resource}', () => {
  it('lists what the caller’s jobs have made, as soon as their renders are in the gallery', async () => {
    const { jobId, artifacts } = await make(
      { kind: 'model_portrait', label: 'Asha', meta: { gender: 'FEMALE' } },
      { kind: 'background_plate' },
      { kind: 'extracted_garment' },
      { kind: 'photography_recipe' },
      { kind: 'on_model_render' },
    );
    await over(jobId);
    const models = await list('/v1/catalog/models');
    expect(models).toEqual({
      items: [
        {
          public_id: artifacts[0]!.assetId,
          kind: 'model_portrait',
          label: 'Asha',
          image_url: expect.stringMatching(/signature=/),
          thumbnails: expect.objectContaining({ 256: expect.stringMatching(/signature=/) }),
          width: 12,
          height: 16,
          attributes: { gender: 'FEMALE' },
          job_id: jobId,
          created_at: expect.stringMatching(/Z$/),
        },
      ],
      total: 1,
      limit: 50,
      offset: 0,
    });
    expect((await fetch(models.items[0].image_url as string)).status).toBe(200);
    for (const [resource, index] of [
      ['backgrounds', 1],
      ['garments', 2],
      ['shots', 3],
    ] as const) {
      const { items } = await list(`/v1/catalog/${resource}`);
      expect((items as { public_id: string }[]).map((item) => item.public_id)).toEqual([
        artifacts[index]!.assetId,
      ]);
    }
  });

  it('shows of a picture what callers can use, not what an engine or an older release noted for itself', async () => {
    const noted = { silhouettes: { subject: [[1, 2]] }, view: { scale: 1 }, wearer: {}, of_old: 1 };
    const meta = { gender: 'FEMALE', ...noted };
    const { jobId } = await make({ kind: 'model_portrait', meta });
    await over(jobId);
    const { result } = (await api.get(`/v1/jobs/${jobId}`, tenant.key)).body;
    const { events } = (await api.get(`/v1/jobs/${jobId}/events`, tenant.key)).body;
    const { items } = await list('/v1/catalog/models');
    const size = { width: 12, height: 16 };
    expect(result.artifacts[0].meta).toEqual({ ...size, gender: 'FEMALE' });
    expect(events.at(-1).artifacts[0].meta).toEqual({ ...size, gender: 'FEMALE' });
    expect(items[0].attributes).toEqual({ gender: 'FEMALE' });
  });

  it('comes in pages, newest first, that neither overlap nor skip', async () => {
    const made: string[] = [];
    for (let index = 0; index < 5; index++) {
      const { jobId, artifacts } = await make({ kind: 'background' });
      await over(jobId);
      made.unshift(artifacts[0]!.assetId);
    }
    const seen: string[] = [];
    for (let offset = 0; offset < 6; offset += 2) {
      const page = await list(`/v1/catalog/backgrounds?limit=2&offset=${offset}`);
      expect(page).toMatchObject({ total: 5, limit: 2, offset });
      seen.push(...(page.items as { public_id: string }[]).map((item) => item.public_id));
    }
    expect(seen).toEqual(made);
    for (const query of ['limit=0', 'limit=201', 'offset=-1', 'limit=x', 'kind=y'])
      expectError(await api.get(`/v1/catalog/models?${query}`, tenant.key), 422, 'VALIDATION_ERROR');
  });

  it('shows nobody else’s, nor those of the other environment', async () => {
    const { jobId } = await make({ kind: 'person' });
    await over(jobId);
    for (const other of [await service.openTenant(), await service.openTenant({ environment: 'test' })])
      expect(await list('/v1/catalog/models', other)).toMatchObject({ items: [], total: 0 });
  });

  it('answers 404 for a resource that there is not, and 403 without the capability to read', async () => {
    for (const resource of ['sofas', 'model', 'constructor'])
      expectError(await api.get(`/v1/catalog/${resource}`, tenant.key), 404, 'RESOURCE_NOT_FOUND');
    const { key } = await service.issueKey(tenant, ['jobs:create']);
    for (const path of ['/v1/catalog/models', '/v1/garment-categories'])
      expectError(await api.get(path, key), 403, 'CAPABILITY_REQUIRED');
  });
});

describe('DELETE /v1/catalog/{resource}/{public_id}', () => {
  const retire = (path: string, { key } = tenant) => api.call('DELETE', `/v1/catalog/${path}`, { key });

  it('takes an entry out of the list and of new dispatches; what names it in history stays', async () => {
    const { jobId, artifacts } = await make({ kind: 'model_portrait' });
    await over(jobId);
    const entry = artifacts[0]!.assetId;
    const swap = async () =>
      api.post('/v1/background-swap-with-image', tenant.key, {
        source_image_s3_key: (await uploadPicture(api, tenant)).uploadKey,
        background_image_public_id: entry,
      });
    // The process remembers the picture from here on.
    const before = await swap();
    expect(before.status).toBe(202);

    const retired = await retire(`models/${entry}`);
    expect(retired.status).toBe(204);
    expect(retired.headers.get('x-consistency-token')).toBeTruthy();
    expect(await list('/v1/catalog/models')).toMatchObject({ items: [], total: 0 });
    const refused = await swap();
    expectError(refused, 410, 'CATALOG_ENTRY_RETIRED');
    expect(refused.body.error.message).toContain('Nothing was charged');
    // Again: nothing changes.
    expect((await retire(`models/${entry}`)).status).toBe(204);
    const { events } = await eventsOf(entry);
    expect(events.map(({ type }) => type)).toEqual(['AssetStored', 'CatalogEntryRetired']);
    expect(events[1]).toMatchObject({ data: { reason: 'retired by the caller', tenant: tenant.id } });
    expect(events[1]!.metadata.actor).toMatch(/^key:/);

    expect(await inputsOf(service, tenant, before.body.job_id as string)).toHaveLength(2);
    const { result } = (await api.get(`/v1/jobs/${jobId}`, tenant.key)).body;
    expect((await fetch(result.artifacts[0].image_url as string)).status).toBe(200);
    const render = (await api.get(`/v1/renders/${jobId}`, tenant.key)).body;
    expect((await fetch(render.image_url as string)).status).toBe(200);
  });

  it('answers 404 in the same words to what is no entry of that resource, and retires nothing', async () => {
    const { jobId, artifacts } = await make({ kind: 'background' }, { kind: 'on_model_render' });
    await over(jobId);
    const [background, render] = artifacts.map(({ assetId }) => assetId);
    const { assetId: upload } = await uploadPicture(api, tenant);
    const other = await service.openTenant({ credits: 10 });
    const answers = [
      await retire(`models/${background}`),
      await retire(`models/${render}`),
      await retire(`models/${upload}`),
      await retire('models/none'),
      await retire(`backgrounds/${background}`, other),
    ];
    for (const answer of answers) expectError(answer, 404, 'RESOURCE_NOT_FOUND');
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1);
    expectError(await retire(`sofas/${background}`), 404, 'RESOURCE_NOT_FOUND');
    expect(await list('/v1/catalog/backgrounds')).toMatchObject({ total: 1 });
  });
});

describe('GET /v1/garment-categories', () => {
  it('lists every kind of garment, in pages', async () => {
    const seen = [];
    for (let offset = 0; offset < garmentCategories.length; offset += 40) {
      const page = await list(`/v1/garment-categories?limit=40&offset=${offset}`);
      expect(page).toMatchObject({ total: garmentCategories.length, limit: 40, offset });
      seen.push(...page.items);
    }
    expect(seen).toEqual(
      garmentCategories.map(({ publicId, key, displayLabel, slot }) => ({
        public_id: publicId,
        key,
        display_label: displayLabel,
        slot,
      })),
    );
    expect((await list('/v1/garment-categories')).items).toHaveLength(50);
  });
});
