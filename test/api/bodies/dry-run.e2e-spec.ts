import { beforeEach, describe, expect, it } from 'vitest';
import type { Workflow } from '#workflows/define-workflow.js';
import { workflows } from '#workflows/workflows.js';
import { complaints, expectError } from '../support/api-client.js';
import { contextOf, type Tenant } from '../support/api-service.js';
import { bodiesOf } from './declared-bodies.js';
import { callsOfThings, makeThings, type Things } from './things.js';
import { openWorld } from '../support/world.js';

const { service, api } = await openWorld();
let tenant: Tenant;
let things: Things;
beforeEach(async () => {
  tenant = await service.openTenant({ credits: 45 });
  things = await makeThings(service, api, tenant);
});

const dry = (workflow: string, body: unknown, headers?: Record<string, string>) =>
  api.post(`/v1/${workflow}?dry_run=true`, tenant.key, body, headers);

describe('?dry_run=true', () => {
  it('tells what each workflow costs, as the price list does, and does nothing else', async () => {
    const { operations } = (await api.get('/v1/operations', tenant.key)).body as {
      operations: { name: string; credits_cost: number }[];
    };
    for (const { name: workflow, batch } of workflows as readonly Workflow[]) {
      const body = bodiesOf(workflow, things).at(-1) as Record<string, unknown>;
      const answer = await dry(workflow, body);
      const price = operations.find(({ name }) => name === workflow)?.credits_cost ?? 0;
      const jobs = batch ? (body[batch.field] as unknown[]).length : 1;
      expect({ status: answer.status, ...answer.body }).toEqual({
        status: 200,
        dry_run: true,
        operation: workflow,
        credits_cost: price * jobs,
        balance: 40,
        sufficient: true,
        daily_cap_ok: true,
        would_be_accepted: true,
      });
      expect(answer.headers.get('location')).toBeNull();
    }
    expect((await api.get('/v1/credits', tenant.key)).body).toMatchObject({
      balance: 40,
      daily_spend_today: 5,
    });
    expect((await api.get('/v1/jobs', tenant.key)).body.count).toBe(1);
    expect((await api.get('/v1/usage', tenant.key)).body.total).toBe(callsOfThings);
    expect((await api.get('/v1/transactions', tenant.key)).body.total).toBe(2);
  });

  it('tells when the balance or the daily cap do not cover it', async () => {
    const photos = Array.from({ length: 10 }, () => ({ pdp_image_public_id: things.assetId }));
    await service.accounts.execute(contextOf('live', tenant.id), () => ({
      kind: 'accepted' as const,
      events: [
        {
          type: 'PlanChanged' as const,
          data: {
            plan: 'small',
            dailySpendCapCredits: 40,
            monthlyCreditQuota: 0,
            rateLimitPerMin: 1_000,
            at: new Date().toISOString(),
          },
        },
      ],
    }));
    const batch = await dry('pdp-batch-extractions', { photos });
    expect(batch.body).toMatchObject({
      credits_cost: 40,
      balance: 40,
      sufficient: true,
      daily_cap_ok: false,
      would_be_accepted: false,
    });
    const poor = await service.openTenant({ credits: 4 });
    const answer = await api.post('/v1/model-generator?dry_run=true', poor.key, {});
    expect(answer).toMatchObject({
      status: 200,
      body: { credits_cost: 5, balance: 4, sufficient: false, daily_cap_ok: true, would_be_accepted: false },
    });
  });

  it('refuses what a dispatch refuses, and leaves no trace of that either', async () => {
    expectError(await dry('model-generator', { seed: 0.5 }), 422, 'VALIDATION_ERROR');
    const foreign = {
      user_image: tenant.id,
      items: [{ trial_image: things.assetId, trial_item_category: 'top' }],
    };
    expectError(await dry('try-on', foreign), 404, 'RESOURCE_NOT_FOUND');
    const reader = await service.issueKey(tenant, ['jobs:read']);
    const forbidden = await api.post('/v1/model-generator?dry_run=true', reader.key, {});
    expectError(forbidden, 403, 'CAPABILITY_REQUIRED');
    await service.accounts.execute(contextOf('live', tenant.id), () => ({
      kind: 'accepted' as const,
      events: [
        { type: 'AccountSuspended' as const, data: { reason: 'tests', at: new Date().toISOString() } },
      ],
    }));
    expectError(await dry('model-generator', {}), 403, 'ACCOUNT_INACTIVE');
    expect((await api.get('/v1/usage', tenant.key)).body.total).toBe(callsOfThings);
  });

  it('does not use up an Idempotency-Key, and is not answered from one', async () => {
    const headers = { 'idempotency-key': 'one' };
    expect((await dry('model-generator', { seed: 1 }, headers)).status).toBe(200);
    const real = await api.post('/v1/model-generator', tenant.key, { seed: 2 }, headers);
    expect(real.status).toBe(202);
    const again = await dry('model-generator', { seed: 3 }, headers);
    expect(again).toMatchObject({ status: 200, body: { dry_run: true } });
    expect(again.headers.get('idempotent-replayed')).toBeNull();
  });

  it('is true or false and nothing else; false is a dispatch', async () => {
    const post = (query: string) => api.post(`/v1/model-generator?${query}`, tenant.key, {});
    expect((await post('dry_run=false')).status).toBe(202);
    for (const query of ['dry_run=', 'dry_run', 'dry_run=1', 'dry_run=TRUE', 'dry_run=true&dry_run=true']) {
      const answer = await post(query);
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(complaints(answer)).toEqual(['query.dry_run']);
    }
    expect(complaints(await post('dryrun=true'))).toEqual(['query.dryrun']);
    expect((await api.get('/v1/jobs', tenant.key)).body.count).toBe(2);
  });
});
