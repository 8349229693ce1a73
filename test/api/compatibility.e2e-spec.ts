import { describe, expect, it } from 'vitest';
import { categoryByKey } from '#domain/garment/garment-categories.js';
import { newId } from '#platform/ids.js';
import type { Tenant } from './support/api-service.js';
import { complaints, expectError } from './support/api-client.js';
import { makePictures, uploadPicture } from './support/made-pictures.js';
import { openWorld } from './support/world.js';

const { service, api, tenant } = await openWorld({ credits: 500 });

const id = (key: string) => categoryByKey(key)!.publicId;
const shirt = id('t_shirt');

const check = (candidates: unknown, product: unknown = shirt, { key }: Tenant = tenant) =>
  api.post('/v1/compatibility/check', key, {
    product_garment_category_public_id: product,
    candidate_complementary_image_public_ids: candidates,
  });

/** Catalogue garments of these attributes, once they are listed. */
async function garments(owner: Tenant, ...metas: Record<string, unknown>[]): Promise<string[]> {
  const kinds = metas.map((meta) => ({ kind: 'complementary_garment', meta }) as const);
  const { artifacts } = await makePictures(api, service, owner, ...kinds);
  const ids = artifacts.map(({ assetId }) => assetId);
  for (;;) {
    const { items } = (await api.get('/v1/catalog/garments?limit=200', owner.key)).body;
    const listed = new Set((items as { public_id: string }[]).map((item) => item.public_id));
    if (ids.every((each) => listed.has(each))) return ids;
  }
}

describe('POST /v1/compatibility/check', () => {
  it('gives a verdict for each candidate, in the order of the request', async () => {
    const [jeans, blouse, bare] = await garments(
      tenant,
      { garment_category_public_id: id('jeans') },
      { garment_category_public_id: id('t_shirt') },
      {},
    );
    const unknown = newId();
    const candidates = [unknown, blouse, jeans, 'no id at all', bare, jeans];
    const { status, body } = await check(candidates);
    expect(status).toBe(200);
    expect(body.product_garment_category_public_id).toBe(shirt);
    const verdicts = (
      body.results as { public_id: string; compatible: boolean; reasons: { code: string }[] }[]
    ).map(({ public_id, compatible, reasons }) => [public_id, compatible, reasons.map(({ code }) => code)]);
    expect(verdicts).toEqual([
      [unknown, false, ['catalog_ref_missing']],
      [blouse, false, expect.arrayContaining(['same_slot'])],
      [jeans, true, []],
      ['no id at all', false, ['catalog_ref_missing']],
      [bare, false, ['category_unknown']],
      [jeans, true, []],
    ]);
  });

  it('treats another tenant’s garment, and what is no garment, like one that never was', async () => {
    const stranger = await service.openTenant();
    const [foreign] = await garments(stranger, { garment_category_public_id: id('jeans') });
    const { assetId } = await uploadPicture(api, tenant);
    const { body } = await check([foreign, assetId, newId()]);
    const told = (body.results as { reasons: unknown }[]).map(({ reasons }) => JSON.stringify(reasons));
    expect(new Set(told).size).toBe(1);
    expect(told[0]).toContain('catalog_ref_missing');
  });

  it('answers 404 for a product category that is unknown', async () => {
    expectError(await check(['x'], newId()), 404, 'RESOURCE_NOT_FOUND');
  });

  it('takes 1 to 100 candidates, and nothing but text', async () => {
    expect((await check(Array.from({ length: 100 }, newId))).body.results).toHaveLength(100);
    for (const wrong of [[], Array.from({ length: 101 }, newId), 'x', null]) {
      const answer = await check(wrong);
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(complaints(answer)).toEqual(['body.candidate_complementary_image_public_ids']);
    }
    const mixed = await check(['x', 7, 'y'.repeat(65)]);
    expect(complaints(mixed)).toEqual([
      'body.candidate_complementary_image_public_ids.1',
      'body.candidate_complementary_image_public_ids.2',
    ]);
    expectError(await check(['x'], 'no id'), 422, 'VALIDATION_ERROR');
  });

  it('costs nothing', async () => {
    const before = (await api.get('/v1/credits', tenant.key)).body.balance;
    await check([newId()]);
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(before);
  });
});
