import { beforeEach, describe, expect, it } from 'vitest';
import { garmentCategories } from '#domain/garment/garment-categories.js';
import { streamName } from '#domain/streams.js';
import type { Tenant } from './support/api-service.js';
import { newId } from '#platform/ids.js';
import { verbsOn } from '../cli/support/verbs.js';
import { eventually } from '../support/eventually.js';
import { expectError, type Json } from './support/api-client.js';
import { inputsOf, makePictures, uploadPicture, type MadeKind } from './support/made-pictures.js';
import { eventsIn } from '../support/streams.js';
import { openWorld } from './support/world.js';

const { service, api } = await openWorld();
const verbs = verbsOn(service);
let tenant: Tenant;
beforeEach(async () => {
  tenant = await service.openTenant({ credits: 500 });
});

const make = (...kinds: MadeKind[]) => makePictures(api, service, tenant, ...kinds);
const list = async (path: string, { key }: Tenant = tenant) => (await api.get(path, key)).body;

const eventsOf = (assetId: string) =>
  eventsIn(service.store, streamName(tenant.environment, 'asset', assetId));

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

  it('shows nothing of the other environment', async () => {
    const { jobId } = await make({ kind: 'person' });
    await over(jobId);
    const sandbox = await service.openTenant({ environment: 'test' });
    expect(await list('/v1/catalog/models', sandbox)).toMatchObject({ items: [], total: 0 });
  });

  it('answers 404 for a resource that there is not', async () => {
    for (const resource of ['sofas', 'model', 'constructor'])
      expectError(await api.get(`/v1/catalog/${resource}`, tenant.key), 404, 'RESOURCE_NOT_FOUND');
  });
});

describe('an entry that is retired', () => {
  const retire = (path: string, { key } = tenant) => api.call('DELETE', `/v1/catalog/${path}`, { key });
  const verb = (name: string, ...args: string[]) =>
    verbs.run(['catalog', name, ...args, '--tenant', tenant.id, '--env', 'live', '--json']);

  const byCaller = async (entry: string) => {
    const retired = await retire(`models/${entry}`);
    expect(retired.status).toBe(204);
    expect(retired.headers.get('x-consistency-token')).toBeTruthy();
  };
  const byOperator = async (entry: string) =>
    expect(await verb('retire', entry, '--reason', 'dated')).toMatchObject({ code: 0, stderr: '' });

  it.each([
    ['its caller', byCaller, 'retired by the caller', /^key:/],
    ['an operator', byOperator, 'dated', /^command:/],
  ] as const)(
    'by %s is out of the list and of new dispatches; what names it in history stays',
    async (_who, retiring, reason, actor) => {
      const { jobId, artifacts } = await make({ kind: 'model_portrait' });
      await over(jobId);
      const entry = artifacts[0]!.assetId;
      const swap = async (background = entry) =>
        api.post('/v1/background-swap-with-image', tenant.key, {
          source_image_s3_key: (await uploadPicture(api, tenant)).uploadKey,
          background_image_public_id: background,
        });
      // The process remembers the picture from here on.
      const before = await swap();
      expect(before.status).toBe(202);

      // The second time nothing changes.
      for (let times = 0; times < 2; times++) await retiring(entry);
      expect(await list('/v1/catalog/models')).toMatchObject({ items: [], total: 0 });
      // Other processes need a moment to see the change.
      await eventually(async () => expectError(await swap(), 410, 'CATALOG_ENTRY_RETIRED'));
      // The entry is also refused under the id of its job, and in place of a preset.
      expectError(await swap(jobId), 410, 'CATALOG_ENTRY_RETIRED');
      const refused = await api.post('/v1/catalog-shots', tenant.key, {
        product_title: 'Tee',
        model_preset_id: entry,
        background_preset_id: newId(),
        shot_preset_id: newId(),
        garment_image_asset_refs: [(await uploadPicture(api, tenant)).assetId],
      });
      expectError(refused, 410, 'CATALOG_ENTRY_RETIRED');
      expect(refused.body.error.message).toContain('Nothing was charged');
      const { items } = (await api.get('/v1/usage', tenant.key)).body;
      expect((items as Json[]).find((row) => row.http_status === 410)).toMatchObject({
        status: 'FAILED',
        error_code: 'CATALOG_ENTRY_RETIRED',
        credits_charged: 0,
      });

      expect(await eventsOf(entry)).toMatchObject([
        { type: 'AssetStored' },
        {
          type: 'CatalogEntryRetired',
          data: { reason, tenant: tenant.id },
          metadata: { actor: expect.stringMatching(actor) },
        },
      ]);
      const listed: Json = JSON.parse((await verb('list')).stdout);
      expect(listed.entries).toMatchObject([{ id: entry, status: 'retired' }]);
      expect(await inputsOf(service, tenant, before.body.job_id as string)).toHaveLength(2);
      const { result } = (await api.get(`/v1/jobs/${jobId}`, tenant.key)).body;
      expect((await fetch(result.artifacts[0].image_url as string)).status).toBe(200);
      const render = (await api.get(`/v1/renders/${jobId}`, tenant.key)).body;
      expect((await fetch(render.image_url as string)).status).toBe(200);
    },
  );

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

  it('has to be one of the tenant’s', async () => {
    const { artifacts } = await make({ kind: 'on_model_render' });
    const other = await service.openTenant({ credits: 10 });
    const foreign = await makePictures(api, service, other, { kind: 'background' });
    const { assetId: upload } = await uploadPicture(api, tenant);
    for (const id of [newId(), upload, artifacts[0]!.assetId, foreign.artifacts[0]!.assetId])
      expect(await verb('retire', id)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${tenant.id} has no catalogue entry ${id} in live: `),
      });
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
