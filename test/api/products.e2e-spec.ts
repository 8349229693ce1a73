import { beforeEach, describe, expect, it } from 'vitest';
import { categoryByKey } from '#domain/garment/garment-categories.js';
import { toNewEvent } from '#application/command-context.js';
import { streamName } from '#domain/streams.js';
import { newId, timelessId, timeOfId } from '#platform/ids.js';
import { contextOf, type Tenant } from './support/api-service.js';
import { complaints, expectError, type Answer } from './support/api-client.js';
import { succeedWith, uploadPicture } from './support/made-pictures.js';
import { openWorld } from './support/world.js';

const { service, api } = await openWorld();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await service.openTenant({ credits: 50 });
});

const upload = async (owner = tenant) => (await uploadPicture(api, owner)).assetId;
const shirt = categoryByKey('t_shirt')!;

const post = (body: Record<string, unknown>, { key }: Tenant = tenant): Promise<Answer> =>
  api.post('/v1/products', key, body);

const imagesOf = ({ body }: Answer) =>
  (body.images as { asset_public_id: string; role: string }[]).map((image) => [
    image.asset_public_id,
    image.role,
  ]);

describe('POST /v1/products', () => {
  it('makes a product of an upload, for free', async () => {
    const assetId = await upload();
    const answer = await post({
      upload_asset_public_id: assetId,
      title: 'Tee',
      external_ref: 'sku-1',
      description: 'Cotton',
      garment_category_public_id: shirt.publicId,
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      public_id: expect.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
      title: 'Tee',
      external_ref: 'sku-1',
      description: 'Cotton',
      category: { public_id: shirt.publicId, key: 't_shirt', display_label: shirt.displayLabel },
      status: 'active',
      primary_image_url: expect.any(String),
      images: [
        {
          asset_public_id: assetId,
          role: 'primary',
          position: 0,
          image_url: answer.body.primary_image_url,
          thumbnails: expect.objectContaining({ 512: expect.any(String) }),
        },
      ],
      created_at: expect.stringMatching(/Z$/),
    });
    expect((await fetch(answer.body.primary_image_url as string)).status).toBe(200);
    expect(answer.headers.get('x-consistency-token')).toBeTruthy();
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(50);
    const usage = (await api.get('/v1/usage', tenant.key)).body;
    expect(usage).toMatchObject({
      total: 2,
      items: [
        { endpoint: '/v1/products', http_status: 201, credits_charged: 0 },
        { endpoint: '/v1/uploads', http_status: 201, credits_charged: 0 },
      ],
    });
  });

  it('leaves out what nobody said', async () => {
    const { body } = await post({ upload_asset_public_id: await upload(), title: 'Tee' });
    expect(Object.keys(body).sort()).toEqual(
      ['created_at', 'images', 'primary_image_url', 'public_id', 'status', 'title'].sort(),
    );
  });

  it('makes another one each time where no external_ref is given', async () => {
    const body = { upload_asset_public_id: await upload(), title: 'Tee' };
    const [one, other] = [await post(body), await post(body)];
    expect([one.status, other.status]).toEqual([201, 201]);
    expect(one.body.public_id).not.toBe(other.body.public_id);
  });
});

describe('posting an external_ref again', () => {
  it('updates that product: the new picture is primary, the earlier one moves into the gallery', async () => {
    const [first, second] = [await upload(), await upload()];
    const made = await post({
      upload_asset_public_id: first,
      title: 'Tee',
      external_ref: 'sku-1',
      description: 'Cotton',
    });
    const updated = await post({ upload_asset_public_id: second, title: 'New tee', external_ref: 'sku-1' });
    expect(updated.status).toBe(200);
    expect(updated.body).toMatchObject({
      public_id: made.body.public_id,
      title: 'New tee',
      description: 'Cotton',
      created_at: made.body.created_at,
    });
    expect(imagesOf(updated)).toEqual([
      [second, 'primary'],
      [first, 'gallery'],
    ]);
  });

  it('with the same upload changes nothing', async () => {
    const body = { upload_asset_public_id: await upload(), title: 'Tee', external_ref: 'sku-1' };
    const made = await post(body);
    const head = await service.store.head();
    const again = await post(body);
    expect(again.status).toBe(200);
    expect(imagesOf(again)).toEqual(imagesOf(made));
    expect(await service.store.head()).toBe(head);
  });

  it('at the same time, through several replicas, gives one product', async () => {
    const replica = await service.openApi();
    const uploads = await Promise.all(Array.from({ length: 6 }, () => upload()));
    const answers = await Promise.all(
      uploads.map((assetId, index) =>
        (index % 2 ? replica : api).post('/v1/products', tenant.key, {
          upload_asset_public_id: assetId,
          title: `Tee ${index}`,
          external_ref: 'sku-1',
        }),
      ),
    );
    expect(new Set(answers.map(({ body }) => body.public_id)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    const last = await post({ upload_asset_public_id: uploads[0], title: 'Tee', external_ref: 'sku-1' });
    expect(imagesOf(last)).toHaveLength(uploads.length);
    expect(new Set(imagesOf(last).map(([id]) => id))).toEqual(new Set(uploads));
  });

  it('finds a product that an earlier release registered on the stream of its reference', async () => {
    const registeredAt = new Date(Date.now() - 60_000);
    const productId = timelessId(`product/live/${tenant.id}/sku-1`);
    const facts = { title: 'Tee', externalRef: 'sku-1', description: null, garmentCategoryId: null };
    const data = { productId, tenant: tenant.id, ...facts, images: [], at: registeredAt.toISOString() };
    const context = { ...contextOf('live', tenant.id), at: registeredAt };
    const event = toNewEvent({ type: 'ProductRegistered', data }, 0, context);
    await service.store.append(streamName('live', 'product', productId), 'no-stream', [event]);
    const assetId = await upload();
    const updated = await post({ upload_asset_public_id: assetId, title: 'Tee', external_ref: 'sku-1' });
    expect(updated.status).toBe(200);
    expect(updated.body.public_id).toBe(productId);
    expect(imagesOf(updated)).toEqual([[assetId, 'primary']]);
  });

  it('keeps an id of the time at which the product was first posted', async () => {
    const before = Date.now();
    const ids: string[] = [];
    for (const external_ref of ['sku-1', undefined, 'sku-2', 'sku-3', undefined]) {
      const { body } = await post({ upload_asset_public_id: await upload(), title: 'Tee', external_ref });
      ids.push(body.public_id as string);
    }
    expect(ids.toSorted()).toEqual(ids);
    expect(timeOfId(ids[0]!)).toBeGreaterThanOrEqual(before);
    expect(timeOfId(ids[4]!)).toBeLessThanOrEqual(Date.now());
  });

  it('of another tenant, or in the other environment, is another product', async () => {
    const sandbox = await service.openTenant({ environment: 'test' });
    const ids = new Set<string>();
    for (const owner of [tenant, await service.openTenant(), sandbox]) {
      const body = { upload_asset_public_id: await upload(owner), title: 'Tee', external_ref: 'sku-1' };
      const answer = await post(body, owner);
      expect(answer.status).toBe(201);
      ids.add(answer.body.public_id as string);
    }
    expect(ids.size).toBe(3);
  });
});

describe('a garment that a PDP extraction made', () => {
  it('brings the page photograph along', async () => {
    const photograph = await upload();
    const dispatched = await api.post('/v1/pdp-extractions', tenant.key, { pdp_image_public_id: photograph });
    expect(dispatched.status).toBe(202);
    const made = await succeedWith(service, tenant, dispatched.body.job_id as string, [
      { kind: 'garment' },
      { kind: 'person' },
    ]);
    const [garment, person] = made.map(({ assetId }) => assetId);
    const answer = await post({ upload_asset_public_id: garment, title: 'Tee', external_ref: 'sku-1' });
    expect(imagesOf(answer)).toEqual([
      [garment, 'primary'],
      [photograph, 'source_pdp'],
    ]);
    const images = answer.body.images as { position: number; image_url: string }[];
    expect(images.map(({ position }) => position)).toEqual([0, 1]);
    expect(answer.body.source_pdp_image_url).toBe(images[1]?.image_url);
    // The person on that page is not a picture of the product.
    expect(imagesOf(await post({ upload_asset_public_id: person, title: 'P' }))).toEqual([
      [person, 'primary'],
    ]);
  });
});

describe('a product is refused', () => {
  it('for fields that are missing, too long or not its own', async () => {
    const answer = await post({ title: '', external_ref: 'x'.repeat(257), description: '', client_id: 'me' });
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(complaints(answer).sort()).toEqual([
      'body.client_id',
      'body.description',
      'body.external_ref',
      'body.title',
      'body.upload_asset_public_id',
    ]);
  });
});

describe('a product', () => {
  const patch = (id: string, json: unknown, { key }: Tenant = tenant) =>
    api.call('PATCH', `/v1/products/${id}`, { key, json });
  const listed = async (query = '', { key }: Tenant = tenant) =>
    ((await api.get(`/v1/products${query}`, key)).body.items as { title: string }[]).map(
      ({ title }) => title,
    );

  it('is read, listed, changed, emptied of a field, archived and brought back', async () => {
    const described = { description: 'Cotton', garment_category_public_id: shirt.publicId };
    const { body: made } = await post({
      upload_asset_public_id: await upload(),
      title: 'Tee',
      external_ref: 'sku-1',
      ...described,
    });
    await post({ upload_asset_public_id: await upload(), title: 'Cap' });
    const id = made.public_id as string;
    const { images, primary_image_url: _url, ...facts } = made;
    expect((await api.get(`/v1/products/${id}`, tenant.key)).body).toMatchObject(facts);
    expect(await listed()).toEqual(['Cap', 'Tee']);
    expect(await listed('?external_ref=sku-1')).toEqual(['Tee']);
    expect(await listed('?limit=1&offset=1')).toEqual(['Tee']);

    const picture = await upload();
    const changed = await patch(id, { title: 'Long tee', upload_asset_public_id: picture });
    expect(changed.body).toMatchObject({ title: 'Long tee', description: 'Cotton', external_ref: 'sku-1' });
    expect(imagesOf(changed)).toEqual([
      [picture, 'primary'],
      [images[0].asset_public_id, 'gallery'],
    ]);
    const emptied = await patch(id, { clear: ['description', 'garment_category_public_id'] });
    expect(Object.keys(emptied.body)).not.toContain('description');
    expect(Object.keys(emptied.body)).not.toContain('category');

    expect((await patch(id, { status: 'archived' })).body).toMatchObject({ status: 'archived' });
    expect(await listed('?status=active')).toEqual(['Cap']);
    expect(await listed('?status=archived')).toEqual(['Long tee']);
    expect((await patch(id, { status: 'active' })).body).toMatchObject({ status: 'active' });
    expect(await listed()).toEqual(['Cap', 'Long tee']);
  });

  it('is refused what does not go together, and what is not there', async () => {
    const { body } = await post({ upload_asset_public_id: await upload(), title: 'Tee' });
    const both = await patch(body.public_id, { description: 'x', clear: ['description'] });
    expectError(both, 422, 'VALIDATION_ERROR');
    expect(complaints(both)).toEqual(['body.description']);
    expectError(await patch(body.public_id, { upload_asset_public_id: newId() }), 404, 'RESOURCE_NOT_FOUND');
    const other = await service.openTenant();
    expectError(await patch(body.public_id, { title: 'Mine' }, other), 404, 'RESOURCE_NOT_FOUND');
    expect(await listed('', other)).toEqual([]);
  });
});

const someId = '01K9Z7J0V4M2Q8T6R3N5B1C7DE';
it.each([
  '/v1/products',
  '/v1/uploads',
  '/v1/uploads/batch',
  '/v1/uploads/direct',
  `/v1/uploads/direct/${someId}/complete`,
  '/v1/client-tokens',
  '/v1/webhooks',
  ...['rotate-secret', 'test', 'resend'].map((what) => `/v1/webhooks/${someId}/${what}`),
])('%s says that it knows no Idempotency-Key', async (path) => {
  const answer = await api.post(path, tenant.key, {}, { 'idempotency-key': 'one' });
  expectError(answer, 422, 'VALIDATION_ERROR');
  expect(complaints(answer)).toEqual(['header.Idempotency-Key']);
});
