import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installation } from '#application/command-context.js';
import { SchedulePrice } from '#application/operation/manage-operations.handler.js';
import { StreamCommandHandler } from '#application/stream-command.handler.js';
import { eventually } from '../support/eventually.js';
import { ApiService, contextOf, type Tenant } from './support/api-service.js';
import { expectError, type ApiClient } from './support/api-client.js';
import { closeCharge, failJob, startJob } from './support/finish-job.js';
import { priceOperation, reactivateAccount, suspendAccount, switchOperation } from '../support/operator.js';

let service: ApiService;
let api: ApiClient;
let tenant: Tenant;

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
  tenant = await service.openTenant({ credits: 1_000 });
});
afterAll(() => service[Symbol.asyncDispose]());

const reason = 'tests';

async function price(name: string, credits: number): Promise<void> {
  await priceOperation(service.store, contextOf('live', installation), name, { credits, reason });
}

async function schedule(name: string, credits: number, at: number): Promise<void> {
  const context = contextOf('live', installation);
  const scheduling = new SchedulePrice(context, name, { credits, from: new Date(at), reason });
  const { kind } = await new StreamCommandHandler(service.store).execute(scheduling);
  expect(kind).toBe('accepted');
}

async function enable(name: string, enabled: boolean): Promise<void> {
  await switchOperation(service.store, contextOf('live', installation), name, { enabled, reason });
}

async function listed(name: string, to = api) {
  const { body } = await to.get('/v1/operations', tenant.key);
  return (body.operations as { name: string; credits_cost: number }[]).find(
    (operation) => operation.name === name,
  );
}

const dryRun = async (to: ApiClient) =>
  (await to.post('/v1/background-generator?dry_run=true', tenant.key, legacy)).body.credits_cost as number;

const legacy = { scene_type: 'studio' };

describe('a price', () => {
  it('is what the list shows and what each dispatch costs, at once and on every process', async () => {
    const other = await service.openApi();
    expect(await dryRun(api)).toBe(5);
    expect(await dryRun(other)).toBe(5);
    await price('background-generator', 7);
    for (const each of [api, other]) {
      expect(await listed('background-generator', each)).toMatchObject({ credits_cost: 7, enabled: true });
    }
    for (const each of [api, other]) expect(await dryRun(each)).toBe(7);
    const { body } = await other.post('/v1/background-generator', tenant.key, legacy);
    expect(body.credits_cost).toBe(7);
    expect((await api.get(`/v1/jobs/${body.job_id}`, tenant.key)).body.credits_cost).toBe(7);
  });

  it('never alters a charge that was made: not its ledger entry, and not its refund', async () => {
    const payer = await service.openTenant({ credits: 100 });
    const { body } = await api.post('/v1/model-generator', payer.key, {});
    expect(body.credits_cost).toBe(5);
    await price('model-generator', 50);
    const { body: estimate } = await api.post('/v1/model-generator?dry_run=true', payer.key, {});
    expect(estimate.credits_cost).toBe(50);
    expect((await api.get(`/v1/jobs/${body.job_id}`, payer.key)).body.credits_cost).toBe(5);
    expect((await api.get('/v1/credits', payer.key)).body.balance).toBe(95);
    await startJob(service, payer, body.job_id as string);
    await failJob(service, payer, body.job_id as string);
    await closeCharge(service, payer, body.request_id as string, 'refund');
    expect((await api.get('/v1/credits', payer.key)).body.balance).toBe(100);
    const { items } = (await api.get('/v1/usage', payer.key)).body;
    expect(items).toMatchObject([{ credits_charged: 5, credits_refunded: 5, status: 'REFUNDED' }]);
    await price('model-generator', 5);
  });

  it('that is scheduled counts from its instant on, in every process, for lists and charges alike', async () => {
    const other = await service.openApi();
    const { scene_type } = legacy;
    const cost = async (to: ApiClient) =>
      (await to.post('/v1/background-generator', tenant.key, { scene_type })).body.credits_cost;
    await price('background-generator', 6);
    await schedule('background-generator', 8, Date.now() + 3_600_000);
    for (const each of [api, other]) expect(await cost(each)).toBe(6);
    await schedule('background-generator', 7, Date.now() + 1_000);
    await eventually(async () => (await listed('background-generator'))?.credits_cost === 7);
    // Both processes run on one machine and share its clock.
    for (const each of [api, other]) {
      expect(await cost(each)).toBe(7);
      expect(await dryRun(each)).toBe(7);
    }
  });

  it('is one of each environment', async () => {
    await price('look', 3);
    const test = await service.openTenant({ environment: 'test' });
    const { body } = await api.get('/v1/operations', test.key);
    expect(
      (body.operations as { name: string; credits_cost: number }[]).find(({ name }) => name === 'look'),
    ).toMatchObject({
      credits_cost: 10,
    });
    expect(await listed('look')).toMatchObject({ credits_cost: 3 });
  });
});

describe('an operation that is disabled', () => {
  it('is refused with 403 and stands in the usage log; nothing is charged, other operations go on', async () => {
    const payer = await service.openTenant({ credits: 100 });
    await enable('model-generator', false);
    expect(await listed('model-generator')).toMatchObject({ enabled: false });
    expect((await api.post('/v1/model-generator?dry_run=true', payer.key, {})).status).toBe(403);
    const refused = await api.post('/v1/model-generator', payer.key, {});
    expectError(refused, 403, 'OPERATION_DISABLED');
    expect((await api.get('/v1/credits', payer.key)).body.balance).toBe(100);
    expect((await api.get('/v1/jobs', payer.key)).body.count).toBe(0);
    const { items } = (await api.get('/v1/usage', payer.key)).body;
    expect(items[0]).toMatchObject({
      request_id: refused.body.error.request_id,
      status: 'FAILED',
      http_status: 403,
      error_code: 'OPERATION_DISABLED',
      credits_charged: 0,
    });
    expect((await api.post('/v1/background-generator', payer.key, legacy)).status).toBe(202);
    // Validation comes first: an invalid body is refused whatever the operator has decided.
    expectError(await api.post('/v1/model-generator', payer.key, { seed: 'x' }), 422, 'VALIDATION_ERROR');
  });

  it('works again once it is enabled', async () => {
    await enable('model-generator', true);
    expect((await api.post('/v1/model-generator', tenant.key, {})).status).toBe(202);
  });
});

describe('a tenant that is suspended', () => {
  it('dispatches nothing and reads everything, until it is reactivated', async () => {
    const payer = await service.openTenant({ credits: 100 });
    await suspendAccount(service.accounts, contextOf('live', payer.id), reason);
    expectError(await api.post('/v1/model-generator', payer.key, {}), 403, 'ACCOUNT_INACTIVE');
    expect((await api.get('/v1/credits', payer.key)).body).toMatchObject({ is_active: false, balance: 100 });
    await reactivateAccount(service.accounts, contextOf('live', payer.id));
    expect((await api.post('/v1/model-generator', payer.key, {})).status).toBe(202);
  });
});
