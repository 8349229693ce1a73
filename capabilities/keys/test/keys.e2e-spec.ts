import { beforeEach, describe, expect, it } from 'vitest';
import { debitCredits } from '#domain/account/debit-credits.js';
import { newId } from '#platform/ids.js';
import { complaints, expectError } from '../../../test/api/support/api-client.js';
import { contextOf, type Tenant } from '../../../test/api/support/api-service.js';
import { closeCharge, failJob, finishJob, startJob } from '../../../test/api/support/finish-job.js';
import { openWorld } from '../../../test/api/support/world.js';
import { eventually } from '../../../test/support/eventually.js';
import { expectAuditToHold } from '../../../test/support/audited.js';

const { service, api } = await openWorld();
const dayMs = 24 * 60 * 60_000;
let tenant: Tenant;
beforeEach(async () => {
  tenant = await service.openTenant({ credits: 100 });
});

interface Ordered {
  readonly jobId: string;
  readonly chargeId: string;
}

async function order({ key }: Tenant, operation = 'model-generator'): Promise<Ordered> {
  const { status, body } = await api.post(`/v1/${operation}`, key, {});
  expect(status).toBe(202);
  return { jobId: body.job_id as string, chargeId: body.request_id as string };
}

/** The operator's writes are not the caller's own, so that no read waits for them. */
const listed = ({ key }: Tenant, until: object) =>
  eventually(async () => {
    const { body } = await api.get('/v1/keys', key);
    expect(body).toMatchObject(until);
    return body;
  });
const spending = (query = '', { key } = tenant) => api.get(`/v1/usage/by-key${query}`, key);
const spent = async (query = '', of = tenant) =>
  ((await spending(query, of)).body.items as { key_id: string | null; credits_spent: number }[]).map(
    ({ key_id: id, credits_spent: credits }) => [id, credits],
  );

describe('GET /v1/keys', () => {
  it('shows what each key may do and how it begins, and no secret', async () => {
    const reader = await service.issueKey(tenant, ['jobs:read']);
    const { items } = await listed(tenant, { total: 2 });
    expect(items).toEqual([
      {
        key_id: reader.keyId,
        prefix: reader.key.slice(0, 'sk_live_'.length + 26),
        label: 'tests',
        environment: 'live',
        capabilities: ['jobs:read'],
        status: 'active',
        is_current: false,
        issued_at: expect.stringMatching(/^20.*Z$/),
        retires_at: null,
        revoked_at: null,
      },
      expect.objectContaining({ key_id: tenant.keyId, is_current: true }),
    ]);
    expect(JSON.stringify(items)).not.toContain(reader.key.slice('sk_live_'.length + 26));
  });

  it('keeps a revoked key in the list, and pages', async () => {
    const revoked = await service.issueKey(tenant, ['jobs:read']);
    await service.revoke(revoked);
    const first = { key_id: revoked.keyId, status: 'revoked', revoked_at: expect.any(String) };
    await listed(tenant, { items: [first, {}] });
    const page = (await api.get('/v1/keys?limit=1&offset=1', tenant.key)).body;
    expect(page).toMatchObject({ items: [{ key_id: tenant.keyId }], total: 2, limit: 1, offset: 1 });
    expect((await api.get('/v1/keys?offset=9', tenant.key)).body).toMatchObject({ items: [], total: 2 });
  });

  it('has nothing of other tenants and of the other environment', async () => {
    const rival = await service.openTenant();
    const test = await service.issueKey({ id: tenant.id, environment: 'test' }, ['jobs:read']);
    for (const own of [tenant, rival, test]) await listed(own, { items: [{ key_id: own.keyId }], total: 1 });
  });

  it('makes, rotates and revokes none: that is the operator’s', async () => {
    const { key } = tenant;
    const attempts = [
      api.post('/v1/keys', key, { capabilities: ['data:erase'] }),
      api.post(`/v1/keys/${tenant.keyId}/rotate`, key, {}),
      api.call('DELETE', `/v1/keys/${tenant.keyId}`, { key }),
    ];
    for (const { status } of await Promise.all(attempts)) expect([404, 405]).toContain(status);
    await listed(tenant, { total: 1 });
  });
});

describe('GET /v1/usage/by-key', () => {
  it('sums the charges of each key, refunds subtracted, the largest sum first', async () => {
    const other = await service.issueKey(tenant, ['jobs:create']);
    await order(tenant);
    const refunded = await order(other);
    await order(other, 'background-generator');
    await order(other, 'background-generator');
    expect(await spent()).toEqual([
      [other.keyId, 15],
      [tenant.keyId, 5],
    ]);
    await startJob(service, tenant, refunded.jobId);
    await failJob(service, tenant, refunded.jobId);
    await closeCharge(service, tenant, refunded.chargeId, 'refund');
    const settledOne = await order(tenant);
    await startJob(service, tenant, settledOne.jobId);
    await finishJob(service, tenant, settledOne.jobId);
    await closeCharge(service, tenant, settledOne.chargeId, 'settle');
    await expect.poll(() => spent()).toContainEqual([other.keyId, 10]);
    const settled = (await spending()).body;
    expect(settled).toMatchObject({ total: 2, limit: 50, offset: 0 });
    expect(settled.items).toEqual(
      expect.arrayContaining([
        {
          key_id: other.keyId,
          label: 'tests',
          charges: 3,
          credits_charged: 15,
          credits_refunded: 5,
          credits_spent: 10,
          last_charged_at: expect.stringMatching(/^20.*Z$/),
        },
      ]),
    );
    const sum = settled.items.reduce(
      (all: number, row: { credits_spent: number }) => all + row.credits_spent,
      0,
    );
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(100 - sum);
    await expectAuditToHold(service);
  });

  it('shows charges that name no key as such, and those of a revoked key with its label', async () => {
    const gone = await service.issueKey(tenant, ['jobs:create']);
    await order(gone);
    await service.revoke(gone);
    const requestId = newId();
    const ids = { requestId, chargeId: requestId, jobId: newId() };
    const call = { operation: 'look', endpoint: '/v1/look', amount: 10, at: new Date().toISOString() };
    await service.accounts.execute(contextOf('live', tenant.id), (account) =>
      debitCredits([{ ...ids, ...call }], account),
    );
    await order(tenant);
    await expect.poll(() => spent()).toHaveLength(3);
    const { items } = (await spending()).body;
    expect(items[0]).toMatchObject({ key_id: null, label: null, credits_spent: 10 });
    expect(items.slice(1)).toEqual(
      expect.arrayContaining([expect.objectContaining({ key_id: gone.keyId, label: 'tests' })]),
    );
  });

  it('counts the charges from the first moment up to the one after the last', async () => {
    await order(tenant);
    const [{ last_charged_at: at }] = (await spending()).body.items;
    const next = new Date(Date.parse(at) + 1).toISOString();
    expect(await spent(`?since=${at}&until=${next}`)).toEqual([[tenant.keyId, 5]]);
    expect(await spent(`?until=${at}`)).toEqual([]);
    const later = new Date(Date.parse(at) + dayMs).toISOString();
    expect(await spent(`?since=${next}&until=${later}`)).toEqual([]);
    const { since, until } = (await spending(`?until=${at}`)).body;
    expect(Date.parse(until) - Date.parse(since)).toBe(30 * dayMs);
  });

  it.each([
    ['since=2026-02-01T00:00:00Z&until=2026-02-01T00:00:00Z', 'query.since'],
    ['since=2026-02-02T00:00:00Z&until=2026-02-01T00:00:00Z', 'query.since'],
    ['since=2024-01-01T00:00:00Z&until=2026-02-01T00:00:00Z', 'query.since'],
    ['until=0001-01-01T00:00:00Z', 'query.since'],
    ['since=yesterday', 'query.since'],
    ['until=2026-02-30T00:00:00Z', 'query.until'],
    ['limit=201', 'query.limit'],
  ])('refuses %s', async (query, field) => {
    const answer = await spending(`?${query}`);
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(complaints(answer)).toEqual([field]);
  });

  it('has nothing of other tenants and of the other environment', async () => {
    await order(tenant);
    const test = await service.issueKey({ id: tenant.id, environment: 'test' }, ['jobs:read']);
    for (const other of [await service.openTenant(), test])
      expect((await spending('', other)).body).toMatchObject({ items: [], total: 0 });
  });
});
