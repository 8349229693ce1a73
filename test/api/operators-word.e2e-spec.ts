import { testSigningKey } from '../support/signing-key.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.js';
import { expectError, type ApiClient, type Json } from './support/api-client.js';
import { ApiService, type Tenant } from './support/api-service.js';

let service: ApiService;
/** Two API processes: a change made through one must hold in the other with its next request. */
let apis: readonly ApiClient[];
let tenant: Tenant;

beforeAll(async () => {
  service = await ApiService.start();
  apis = [await service.openApi(), await service.openApi()];
  tenant = await service.openTenant({ credits: 1_000 });
  // Both processes have read the tenant and the operations, so a stale memory would show.
  for (const api of apis) expect((await dispatch(api)).status).toBe(202);
});
afterAll(() => service[Symbol.asyncDispose]());

/** Runs the operators' command in a process of its own, as operators do. */
async function atelier(...args: string[]): Promise<Json> {
  const env = {
    DATABASE_URL: service.databaseUrl,
    URL_SIGNING_SECRET: 'x',
    ATELIER_SIGNING_KEY: testSigningKey,
  };
  const { code, stdout, stderr } = await runCommand([...args, '--json'], service.folder, { env });
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const dispatch = (api: ApiClient) => api.post('/v1/model-generator', tenant.key, {});

const credits = async (api: ApiClient): Promise<Json> => (await api.get('/v1/credits', tenant.key)).body;

async function operation(api: ApiClient): Promise<Json> {
  const { body } = await api.get('/v1/operations', tenant.key);
  return (body.operations as Json[]).find(({ name }) => name === 'model-generator');
}

async function lastUsage(api: ApiClient): Promise<Json> {
  return (await api.get('/v1/usage?limit=1', tenant.key)).body.items[0];
}

describe('what the operator says holds from the next request on, in every process', () => {
  it('a daily cap', async () => {
    const { daily_spend_today: spent } = await credits(apis[0]!);
    await atelier('tenants', 'plan', tenant.id, '--daily-cap', String(spent + 5));
    for (const api of apis) {
      expect(await credits(api)).toMatchObject({
        daily_spend_cap_credits: spent + 5,
        daily_spend_today: spent,
      });
    }
    expect((await dispatch(apis[0]!)).status).toBe(202);
    const before = await credits(apis[0]!);
    for (const api of apis) {
      expect(await credits(api)).toMatchObject({ daily_spend_today: spent + 5 });
      expectError(await dispatch(api), 402, 'DAILY_SPEND_CAP_EXCEEDED');
      expect(await lastUsage(api)).toMatchObject({
        status: 'FAILED',
        http_status: 402,
        error_code: 'DAILY_SPEND_CAP_EXCEEDED',
        credits_charged: 0,
      });
    }
    expect(await credits(apis[1]!)).toEqual(before);
    await atelier('tenants', 'plan', tenant.id, '--daily-cap', '0');
    for (const api of apis) expect((await dispatch(api)).status).toBe(202);
  });

  it('a monthly quota, which refuses nothing and whose use the operator sees', async () => {
    const shown = async () => (await atelier('tenants', 'show', tenant.id)).accounts[0];
    const { monthly_spend: spent } = await shown();
    expect(spent).toBeGreaterThan(0);
    await atelier('tenants', 'plan', tenant.id, '--monthly-quota', String(spent + 5));
    for (const api of apis) {
      expect(await credits(api)).toMatchObject({ monthly_credit_quota: spent + 5, is_active: true });
      expect((await dispatch(api)).status).toBe(202);
      expect((await dispatch(api)).status).toBe(202);
      // Waits until the read models have this process's own writes: the operators' command reads the same
      // models.
      await lastUsage(api);
    }
    expect(await shown()).toMatchObject({ monthly_credit_quota: spent + 5, monthly_spend: spent + 20 });
    await atelier('tenants', 'plan', tenant.id, '--monthly-quota', '0');
    expect(await credits(apis[0]!)).toMatchObject({ monthly_credit_quota: 0 });
  });

  it('a plan and its rate limit', async () => {
    await atelier('tenants', 'plan', tenant.id, '--plan', 'studio', '--rate-limit', '777777');
    for (const api of apis) {
      expect(await credits(api)).toMatchObject({ plan: 'studio', rate_limit_per_min: 777_777 });
    }
  });

  it('a suspension and its end', async () => {
    await atelier('tenants', 'suspend', tenant.id);
    const { balance } = await credits(apis[0]!);
    for (const api of apis) {
      expect(await credits(api)).toMatchObject({ is_active: false, balance });
      expectError(await dispatch(api), 403, 'ACCOUNT_INACTIVE');
      expect(await lastUsage(api)).toMatchObject({ status: 'FAILED', error_code: 'ACCOUNT_INACTIVE' });
      expect((await api.get('/v1/jobs', tenant.key)).status).toBe(200);
    }
    await atelier('tenants', 'reactivate', tenant.id);
    for (const api of apis) {
      expect(await credits(api)).toMatchObject({ is_active: true, balance: expect.any(Number) });
      expect((await dispatch(api)).status).toBe(202);
    }
  });

  it('an operation that is disabled, and enabled again', async () => {
    await atelier('operations', 'disable', 'model-generator', '--env', tenant.environment);
    for (const api of apis) {
      expectError(await dispatch(api), 403, 'OPERATION_DISABLED');
      expect(await operation(api)).toMatchObject({ enabled: false });
    }
    await atelier('operations', 'enable', 'model-generator', '--env', tenant.environment);
    for (const api of apis) {
      expect((await dispatch(api)).status).toBe(202);
      expect(await operation(api)).toMatchObject({ enabled: true });
    }
  });

  it('a price, and what was charged before stays what it was: cancelled, it comes back as it was charged', async () => {
    const old = await dispatch(apis[0]!);
    expect(old.body.credits_cost).toBe(5);
    await atelier('operations', 'price', 'model-generator', '50', '--env', tenant.environment);
    for (const api of apis) {
      expect((await dispatch(api)).body.credits_cost).toBe(50);
      expect(await operation(api)).toMatchObject({ credits_cost: 50 });
    }
    const { balance } = await credits(apis[1]!);
    const cancelled = await apis[1]!.post(`/v1/jobs/${old.body.job_id}/cancel`, tenant.key, {});
    expect(cancelled.status).toBe(200);
    for (const api of apis) expect(await credits(api)).toMatchObject({ balance: balance + 5 });
    const { items } = (await apis[1]!.get('/v1/usage', tenant.key)).body;
    expect((items as Json[]).find(({ request_id: id }) => id === old.body.request_id)).toMatchObject({
      credits_charged: 5,
      credits_refunded: 5,
      status: 'REFUNDED',
    });
    await atelier('operations', 'price', 'model-generator', '5', '--env', tenant.environment);
  });
});
