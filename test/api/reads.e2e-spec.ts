import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { workflows } from '#workflows/workflows.js';
import { closeCharge, failJob, finishJob, startJob } from './support/finish-job.js';
import type { Tenant } from './support/api-service.js';
import { makePictures, uploadPicture } from './support/made-pictures.js';
import { complaints, expectError, type Json } from './support/api-client.js';
import { openWorld } from './support/world.js';

const { service, api } = await openWorld();
const other = new pg.Client({ connectionString: service.databaseUrl });
await other.connect();
afterAll(() => other.end());
let tenant: Tenant;
beforeEach(async () => {
  tenant = await service.openTenant({ credits: 100 });
});

async function dispatch(): Promise<{ jobId: string; requestId: string }> {
  const { body } = await api.post('/v1/model-generator', tenant.key, { display_name: 'Ada' });
  return { jobId: body.job_id as string, requestId: body.request_id as string };
}

/** Polls as a client does, until the job is over. */
async function poll(jobId: string): Promise<{ types: string[]; seqs: number[] }> {
  const types: string[] = [];
  const seqs: number[] = [];
  for (let since = 0; ;) {
    const { body } = await api.get(`/v1/jobs/${jobId}/events?since=${since}`, tenant.key);
    for (const event of body.events) {
      types.push(event.event_type as string);
      seqs.push(event.seq as number);
    }
    since = body.latest_seq as number;
    if (types.some((type) => type === 'succeeded' || type === 'failed')) return { types, seqs };
  }
}

describe('a dispatch', () => {
  it('is charged, queued and answered with what the client needs next', async () => {
    const { key } = tenant;
    const answer = await api.post('/v1/model-generator', key, { gender: 'FEMALE', seed: 7 });
    expect(answer.status).toBe(202);
    const { request_id: requestId, job_id: jobId } = answer.body;
    expect(answer.body).toEqual({
      request_id: requestId,
      job_id: jobId,
      status: 'NOT_STARTED',
      credits_cost: 5,
    });
    expect(requestId).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(answer.headers.get('location')).toBe(`/v1/jobs/${jobId}`);
    expect(answer.headers.get('x-request-id')).toBe(requestId);
    expect(answer.headers.get('x-consistency-token')).toMatch(/^[\w-]+$/);
  });

  it('is seen by every read that follows it at once', async () => {
    const { key } = tenant;
    for (let round = 1; round <= 2; round++) {
      const { body } = await api.post('/v1/model-generator', key, {});
      const jobId = body.job_id as string;
      const job = await api.get(`/v1/jobs/${jobId}`, key);
      expect(job.body).toMatchObject({
        public_id: jobId,
        job_type: 'MODEL_GENERATOR',
        status: 'NOT_STARTED',
      });
      const events = await api.get(`/v1/jobs/${jobId}/events`, key);
      expect(events.body).toMatchObject({ latest_seq: 1, events: [{ seq: 1, event_type: 'queued' }] });
      const jobs = await api.get('/v1/jobs', key);
      expect(jobs.body).toMatchObject({
        count: round,
        jobs: [{ public_id: jobId }, ...Array.from({ length: round - 1 }, () => ({}))],
      });
      const usage = await api.get('/v1/usage', key);
      expect(usage.body.items[0]).toMatchObject({
        request_id: body.request_id,
        status: 'PENDING',
        credits_charged: 5,
      });
      const ledger = await api.get('/v1/transactions', key);
      expect(ledger.body.items[0]).toMatchObject({ kind: 'operation', credits_delta: -5, status: 'PENDING' });
      const credits = await api.get('/v1/credits', key);
      expect(credits.body).toMatchObject({ balance: 100 - 5 * round, daily_spend_today: 5 * round });
      for (const answer of [job, events, jobs, usage, ledger, credits]) {
        expect(answer.headers.get('x-consistency')).toBeNull();
      }
    }
  });
});

describe('a job that succeeds', () => {
  it('shows its timeline, its result and its render', async () => {
    const { jobId, requestId } = await dispatch();
    await startJob(service, tenant, jobId);
    await finishJob(service, tenant, jobId);
    const { types, seqs } = await poll(jobId);
    expect(types).toEqual(['queued', 'stage', 'succeeded']);
    // The start of the render is an internal event, so its number in the stream is left out.
    expect(seqs).toEqual([1, 3, 4]);

    const job = (await api.get(`/v1/jobs/${jobId}`, tenant.key)).body;
    expect(job).toMatchObject({
      public_id: jobId,
      status: 'SUCCESS',
      request_id: requestId,
      credits_cost: 5,
      parent_job_id: null,
      children: [],
      error: null,
      latest_event: { seq: 4, event_type: 'succeeded', visibility: 'public', artifacts: [] },
      result: { artifacts: [{ kind: 'model_portrait', role: 'final' }] },
    });
    const [artifact] = job.result.artifacts;
    expect(Object.keys(artifact).sort()).toEqual([
      'asset_id',
      'image_url',
      'kind',
      'label',
      'meta',
      'role',
      's3_key',
      'thumbnails',
    ]);
    expect(artifact.image_url).toMatch(/^http:.*\?expires=\d+&signature=/);

    await closeCharge(service, tenant, requestId, 'settle');
    const { body } = await api.get(`/v1/renders/${jobId}`, tenant.key);
    expect(body).toMatchObject({ public_id: jobId, job_type: 'MODEL_GENERATOR', width: 64, height: 96 });
    expect((await api.get('/v1/renders', tenant.key)).body).toMatchObject({
      total: 1,
      items: [{ public_id: jobId }],
    });
    const [row] = (await api.get('/v1/usage', tenant.key)).body.items;
    expect(row).toMatchObject({ request_id: requestId, job_id: jobId, status: 'SUCCESS', http_status: 202 });
    const [line] = (await api.get('/v1/transactions', tenant.key)).body.items;
    expect(line).toMatchObject({ label: '/v1/model-generator', credits_delta: -5, status: 'SUCCESS' });
  });
});

/** The job's events as they come, from its own stream. */
async function follow(jobId: string): Promise<string> {
  const response = await fetch(`${api.url}/v1/jobs/${jobId}/events`, {
    headers: { authorization: `Bearer ${tenant.key}`, accept: 'text/event-stream' },
  });
  return response.text();
}

describe('what a client was shown of a job', () => {
  it('holds for all its reads: once it saw the end, the gallery waits until it has the picture', async () => {
    const { body } = await api.post('/v1/model-generator', tenant.key, {});
    const jobId = body.job_id as string;
    expect((await api.get('/v1/renders', tenant.key)).body.items).toEqual([]);
    // The lock stops the projector before its next commit; readers are not held up.
    await other.query('begin');
    await other.query('lock table live.renders in share mode');
    try {
      await startJob(service, tenant, jobId);
      await finishJob(service, tenant, jobId);
      expect(await follow(jobId)).toContain('event: succeeded');
      const gallery = api.get('/v1/renders', tenant.key);
      await sleep(200);
      await other.query('rollback');
      expect(((await gallery).body.items as Json[]).map(({ public_id: id }) => id)).toEqual([jobId]);
    } finally {
      await other.query('rollback');
    }
  });
});

describe('a job that fails', () => {
  it('says why, has no render, and is refunded', async () => {
    const { jobId, requestId } = await dispatch();
    await startJob(service, tenant, jobId);
    await failJob(service, tenant, jobId);
    expect((await poll(jobId)).types).toEqual(['queued', 'stage', 'failed']);
    const job = (await api.get(`/v1/jobs/${jobId}`, tenant.key)).body;
    expect(job).toMatchObject({ status: 'FAILURE', result: null, error: { code: 'ENGINE_POLICY' } });
    expect(job.latest_event.extra.error.code).toBe('ENGINE_POLICY');
    expectError(await api.get(`/v1/renders/${jobId}`, tenant.key), 404, 'RESOURCE_NOT_FOUND');
    await closeCharge(service, tenant, requestId, 'refund');
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(100);
    const { items } = (await api.get('/v1/transactions', tenant.key)).body;
    expect(items[0]).toMatchObject({ credits_delta: 0, status: 'REFUNDED' });
    const [row] = (await api.get('/v1/usage', tenant.key)).body.items;
    expect(row).toMatchObject({ status: 'REFUNDED', credits_charged: 5, credits_refunded: 5 });
  });
});

describe('the usage log', () => {
  it('has a row at no cost for each upload, product, cancel and retired entry, and none for reads', async () => {
    const { assetId } = await uploadPicture(api, tenant);
    const post = (title: string) =>
      api.post('/v1/products', tenant.key, { upload_asset_public_id: assetId, title, external_ref: 'sku' });
    const { public_id: product } = (await post('Tee')).body;
    // The second call changes nothing and adds no row.
    for (const title of ['Shirt', 'Shirt']) expect((await post(title)).status).toBe(200);
    const revise = (changes: object) =>
      api.call('PATCH', `/v1/products/${product}`, { key: tenant.key, json: changes });
    for (const changes of [{ title: 'Blouse' }, { title: 'Top', status: 'archived' }])
      expect((await revise(changes)).status).toBe(200);
    expect((await revise({ nothing: 'known' })).status).toBe(422);
    const { jobId, requestId } = await dispatch();
    const cancelled = await api.post(`/v1/jobs/${jobId}/cancel`, tenant.key, {});
    expect(cancelled.status).toBe(200);
    const [made] = (await makePictures(api, service, tenant, { kind: 'model_portrait' })).artifacts;
    for (let times = 0; times < 2; times++) {
      const path = `/v1/catalog/models/${made!.assetId}`;
      expect((await api.call('DELETE', path, { key: tenant.key })).status).toBe(204);
    }

    const { items, total } = (await api.get('/v1/usage', tenant.key)).body;
    expect(total).toBe(items.length);
    const calls = (items as Json[]).map(({ method, endpoint, http_status: status }) =>
      [method, endpoint, status].join(' '),
    );
    expect(calls).toEqual([
      'DELETE /v1/catalog/{resource}/{public_id} 204',
      'POST /v1/model-generator 202',
      'POST /v1/jobs/{public_id}/cancel 200',
      'POST /v1/model-generator 202',
      ...Array<string>(2).fill('PATCH /v1/products/{public_id} 200'),
      'POST /v1/products 200',
      'POST /v1/products 201',
      'POST /v1/uploads 201',
    ]);
    const cancel = cancelled.headers.get('x-request-id');
    expect(items[2]).toEqual({
      request_id: cancel,
      method: 'POST',
      endpoint: '/v1/jobs/{public_id}/cancel',
      http_status: 200,
      status: 'SUCCESS',
      credits_charged: 0,
      credits_refunded: 0,
      job_id: jobId,
      created_at: items[2].resolved_at,
      resolved_at: expect.stringMatching(/Z$/),
    });
    expect(items[3]).toMatchObject({ request_id: requestId, status: 'REFUNDED', credits_refunded: 5 });
  });
});

describe('what was sent', () => {
  it('can be read back, with what was drawn and coined for it', async () => {
    const sent = {
      gender: 'FEMALE',
      display_name: 'Ada',
      metadata: { sku: 'A-1' },
      pilot_brand: 'Loom',
      image_model: 'sketch-1',
    };
    const accepted = await api.post('/v1/model-generator', tenant.key, sent);
    const { body } = await api.get(`/v1/jobs/${accepted.body.job_id}`, tenant.key);
    const { request, seed, ...job } = body;
    expect(job).toMatchObject({
      display_name: 'Ada',
      metadata: { sku: 'A-1' },
      pilot_brand: 'Loom',
      image_model: 'sketch-1',
    });
    expect(request).toMatchObject(sent);
    const again = await api.post('/v1/model-generator', tenant.key, { ...request, seed });
    expect(again.status).toBe(202);
    const bare = await api.post('/v1/background-generator', tenant.key, { scene_type: 'dunes' });
    const answer = await api.get(`/v1/jobs/${bare.body.job_id}`, tenant.key);
    expect(answer.body).toMatchObject({
      metadata: null,
      pilot_brand: null,
      image_model: 'sketch-1',
      seed: expect.any(Number),
      display_name: expect.stringMatching(/./),
      request: { scene_type: 'dunes' },
    });
  });
});

describe('metadata', () => {
  it('comes back as it was sent, whatever its names', async () => {
    const names = Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== '__proto__');
    const odd = Object.fromEntries([...names, 'prototype', 'toJSON', 'then'].map((name) => [name, 1]));
    const metadata = { ...odd, nested: [odd, { deep: odd }] };
    const accepted = await api.post('/v1/model-generator', tenant.key, { metadata });
    expect(accepted.status).toBe(202);
    const { body } = await api.get(`/v1/jobs/${accepted.body.job_id}`, tenant.key);
    expect(body).toMatchObject({ metadata, request: { metadata } });
  });
});

describe('a list', () => {
  it('goes on from a cursor, whatever was added since', async () => {
    const jobIds: string[] = [];
    for (let index = 0; index < 5; index++) jobIds.unshift((await dispatch()).jobId);
    const first = (await api.get('/v1/jobs?limit=2', tenant.key)).body;
    expect(first).toMatchObject({ total: 5, count: 2, next_cursor: jobIds[1] });
    await dispatch();
    const idsOf = (body: Json) => (body.jobs as { public_id: string }[]).map(({ public_id: id }) => id);
    const second = (await api.get(`/v1/jobs?limit=3&cursor=${first.next_cursor}`, tenant.key)).body;
    expect(idsOf(second)).toEqual(jobIds.slice(2));
    expect(second.total).toBe(6);
    const last = (await api.get(`/v1/jobs?limit=3&cursor=${second.next_cursor}`, tenant.key)).body;
    expect(last).toMatchObject({ jobs: [], next_cursor: null });
    for (const query of [`cursor=${tenant.id}`, `cursor=${jobIds[0]}&offset=1`, 'cursor=x']) {
      const answer = await api.get(`/v1/jobs?${query}`, tenant.key);
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(complaints(answer)).toEqual(['query.cursor']);
    }
  });

  it('shows pages, newest first, that neither overlap nor skip', async () => {
    const jobIds: string[] = [];
    for (let index = 0; index < 7; index++) jobIds.unshift((await dispatch()).jobId);
    const seen: string[] = [];
    for (let offset = 0; offset < 9; offset += 3) {
      const { body } = await api.get(`/v1/jobs?limit=3&offset=${offset}`, tenant.key);
      expect(body).toMatchObject({ limit: 3, offset, count: body.jobs.length });
      seen.push(...(body.jobs as { public_id: string }[]).map(({ public_id: id }) => id));
    }
    expect(seen).toEqual(jobIds);
    const ledger = (await api.get('/v1/transactions?limit=1&offset=7', tenant.key)).body;
    expect(ledger).toMatchObject({
      total: 8,
      items: [{ kind: 'pack', credits_delta: 100, status: 'PURCHASED' }],
    });
    expect((await api.get('/v1/transactions?offset=8', tenant.key)).body).toMatchObject({
      total: 8,
      items: [],
    });
  });

  it('of jobs is narrowed by type, status and time', async () => {
    await api.post('/v1/model-generator', tenant.key, {});
    const count = async (query: string) =>
      (await api.get(`/v1/jobs?${query}`, tenant.key)).body.count as number;
    expect(await count('job_type=MODEL_GENERATOR')).toBe(1);
    expect(await count('job_type=MODEL_GENERATOR&job_type=PDP_EXTRACTION')).toBe(1);
    expect(await count('job_type=PDP_EXTRACTION')).toBe(0);
    for (const { jobType } of workflows) {
      expect(await count(`job_type=${jobType}`)).toBe(jobType === 'MODEL_GENERATOR' ? 1 : 0);
    }
    expect(await count('status=NOT_STARTED')).toBe(1);
    expect(await count('status=SUCCESS')).toBe(0);
    expect(await count('created_after=2020-01-01T00:00:00Z')).toBe(1);
    expect(await count('created_after=2020-01-01T00:00:00+01:00')).toBe(1);
    expect(await count('created_after=2999-01-01T00:00:00.000Z')).toBe(0);
    for (const query of [
      'job_type=NONSENSE',
      'job_type=MODEL_GENERATOR&job_type=NONSENSE',
      'status=DONE',
      'status=SUCCESS&status=FAILURE',
      'created_after=yesterday',
      'created_after=2020-01-01',
      'created_after=2020-13-01T00:00:00Z',
      'created_after=2026-02-30T00:00:00Z',
      'created_after=2023-02-29T12:00:00%2B01:00',
      'created_after=2026-04-31T23:59:59Z',
      'created_after=%00',
    ]) {
      const answer = await api.get(`/v1/jobs?${query}`, tenant.key);
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(complaints(answer)).toEqual([`query.${query.split('=')[0]}`]);
    }
  });

  it('of events takes a cursor from 0 on', async () => {
    const { job_id: jobId } = (await api.post('/v1/model-generator', tenant.key, {})).body;
    for (const [since, status] of [
      ['0', 200],
      ['2147483647', 200],
      ['-1', 422],
      ['2147483648', 422],
      ['x', 422],
    ] as const) {
      const answer = await api.get(`/v1/jobs/${jobId}/events?since=${since}`, tenant.key);
      expect({ since, status: answer.status }).toEqual({ since, status });
    }
  });

  it('of operations names every price', async () => {
    const { body } = await api.get('/v1/operations', tenant.key);
    expect(body).toEqual({
      operations: [
        { name: 'try-on', op_class: 'compose', credits_cost: 10, enabled: true },
        { name: 'model-generator', op_class: 'generator', credits_cost: 5, enabled: true },
        { name: 'background-generator', op_class: 'generator', credits_cost: 5, enabled: true },
        { name: 'complementary-garment-generator', op_class: 'generator', credits_cost: 5, enabled: true },
        { name: 'product-to-model-direct', op_class: 'compose', credits_cost: 10, enabled: true },
        { name: 'product-to-model-phased', op_class: 'compose', credits_cost: 10, enabled: true },
        { name: 'background-swap-with-image', op_class: 'edit', credits_cost: 5, enabled: true },
        { name: 'background-swap-with-spec', op_class: 'edit', credits_cost: 5, enabled: true },
        { name: 'model-swap-with-image', op_class: 'edit', credits_cost: 5, enabled: true },
        { name: 'extract', op_class: 'extract', credits_cost: 1, enabled: true },
        { name: 'look', op_class: 'compose', credits_cost: 10, enabled: true },
        { name: 'catalog-shots', op_class: 'compose', credits_cost: 10, enabled: true },
        { name: 'pdp-extractions', op_class: 'extract', credits_cost: 4, enabled: true },
        { name: 'pdp-batch-extractions', op_class: 'extract', credits_cost: 4, enabled: true },
      ],
    });
  });
});

describe('GET /v1/credits', () => {
  it('shows the account, and the cap that refuses a dispatch', async () => {
    tenant = await service.openTenant({
      credits: 100,
      terms: { plan: 'studio', dailySpendCapCredits: 9, rateLimitPerMin: 600 },
    });
    expect((await api.get('/v1/credits', tenant.key)).body).toEqual({
      client_id: tenant.id,
      balance: 100,
      plan: 'studio',
      daily_spend_today: 0,
      daily_spend_cap_credits: 9,
      monthly_credit_quota: 0,
      daily_spend_resets_at: null,
      rate_limit_per_min: 600,
      is_active: true,
    });
    const before = Date.now();
    await dispatch();
    const answer = await api.post('/v1/model-generator', tenant.key, {});
    expectError(answer, 402, 'DAILY_SPEND_CAP_EXCEEDED');
    const { body } = await api.get('/v1/credits', tenant.key);
    expect(body).toMatchObject({ balance: 95, daily_spend_today: 5 });
    expect(Date.parse(body.daily_spend_resets_at as string) - before).toBeGreaterThan(24 * 3_600_000);
    expect(answer.body.error.message).toContain(body.daily_spend_resets_at);
  });
});
