import { describe, expect, it } from 'vitest';
import type { Tenant, TenantOptions } from './support/api-service.js';
import type { Answer, Json } from './support/api-client.js';
import { closeCharge } from './support/finish-job.js';
import { inputsOf, uploadPicture } from './support/made-pictures.js';
import { openWorld } from './support/world.js';

const path = '/v1/pdp-batch-extractions';

const { service, api } = await openWorld();

type Photo = { pdp_image_public_id: string };

async function shoot(photos: number, options: TenantOptions): Promise<[Tenant, { photos: Photo[] }]> {
  const tenant = await service.openTenant(options);
  const uploads = await Promise.all(Array.from({ length: photos }, () => uploadPicture(api, tenant)));
  return [tenant, { photos: uploads.map(({ assetId }) => ({ pdp_image_public_id: assetId })) }];
}

const read = async (what: string, { key }: Tenant): Promise<Json> => (await api.get(`/v1/${what}`, key)).body;

/** Rows of the usage log, without the uploads of the photographs. */
async function dispatchesOf(tenant: Tenant): Promise<Json[]> {
  const { items } = await read('usage', tenant);
  return (items as Json[]).filter(({ endpoint }) => endpoint !== '/v1/uploads');
}

describe('a batch', () => {
  it('costs the price of one photograph for each, and answers with the parent', async () => {
    const [tenant, body] = await shoot(3, { credits: 20 });
    const answer = await api.post(path, tenant.key, body);
    expect(answer).toMatchObject({ status: 202, body: { status: 'NOT_STARTED', credits_cost: 12 } });
    const { job_id: parent, request_id: requestId } = answer.body;

    expect(await read('credits', tenant)).toMatchObject({ balance: 8, daily_spend_today: 12 });
    const row = { request_id: requestId, status: 'PENDING', credits_charged: 12, job_id: parent };
    const dispatches = await dispatchesOf(tenant);
    expect(dispatches).toHaveLength(1);
    expect(dispatches).toMatchObject([row]);
    const ledger = (await read('transactions', tenant)).items.filter(
      (item: Json) => item.kind === 'operation',
    );
    expect(ledger).toHaveLength(3);
    expect(ledger.map((item: Json) => [item.credits_delta, item.status])).toEqual(
      Array.from({ length: 3 }, () => [-4, 'PENDING']),
    );
  });

  it('shows a job for each photograph, in their order, beside its own', async () => {
    const [tenant, body] = await shoot(4, { credits: 20 });
    const { job_id: parent } = (await api.post(path, tenant.key, body)).body;
    const detail = await read(`jobs/${parent}`, tenant);
    expect(detail).toMatchObject({ job_type: 'PDP_BATCH_EXTRACTION', credits_cost: 16, parent_job_id: null });
    const children = detail.children.map((child: Json) => child.public_id) as string[];
    expect(new Set(children).size).toBe(4);

    const listed = (await read('jobs', tenant)).jobs.map((job: Json) => job.public_id) as string[];
    expect(listed).toHaveLength(5);
    expect(new Set(listed)).toEqual(new Set([parent, ...children]));
    for (const [index, child] of children.entries()) {
      expect(await read(`jobs/${child}`, tenant)).toMatchObject({
        job_type: 'PDP_EXTRACTION',
        parent_job_id: parent,
        credits_cost: 4,
        children: [],
      });
      expect(await inputsOf(service, tenant, child)).toMatchObject([
        { assetId: body.photos[index]?.pdp_image_public_id },
      ]);
    }
  });

  it('is one row of the usage log to its end, with what became of all its charges', async () => {
    const [tenant, body] = await shoot(2, { credits: 8 });
    const { request_id: requestId, job_id: parent } = (await api.post(path, tenant.key, body)).body;
    await closeCharge(service, tenant, `${requestId}.0`, 'refund');
    await closeCharge(service, tenant, `${requestId}.1`, 'settle');
    await api.post('/v1/model-generator', tenant.key, {});
    const items = await dispatchesOf(tenant);
    expect(items).toHaveLength(2);
    expect(items[1]).toMatchObject({
      request_id: requestId,
      job_id: parent,
      status: 'SUCCESS',
      credits_charged: 8,
      credits_refunded: 4,
    });
    expect((await read('credits', tenant)).balance).toBe(4);
  });

  it('sent again with its Idempotency-Key is the same batch', async () => {
    const [tenant, body] = await shoot(2, { credits: 100 });
    const send = (): Promise<Answer> => api.post(path, tenant.key, body, { 'idempotency-key': 'shoot' });
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect((await read('jobs', tenant)).count).toBe(3);
    expect((await read('credits', tenant)).balance).toBe(92);
    expect(await dispatchesOf(tenant)).toHaveLength(1);
  });
});
