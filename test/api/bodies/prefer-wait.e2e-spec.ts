import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { ApiService, type Tenant } from '../support/api-service.js';
import type { Answer } from '../support/api-client.js';
import { failJob, finishJob, startJob } from '../support/finish-job.js';
import { eventsIn } from '../../support/streams.js';
import { openWorld } from '../support/world.js';

const { service, api } = await openWorld();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await service.openTenant();
});

const dispatch = (prefer: string, headers: Record<string, string> = {}): Promise<Answer> =>
  api.post('/v1/model-generator', tenant.key, { seed: 7 }, { prefer, ...headers });

/** The newest job, once it is there. */
async function newestJob(): Promise<string> {
  for (;;) {
    const { jobs } = (await api.get('/v1/jobs', tenant.key)).body as { jobs: { public_id: string }[] };
    if (jobs[0]) return jobs[0].public_id;
    await sleep(10);
  }
}

describe('Prefer: wait=N', () => {
  it('answers 200 with the job, as soon as it has ended', async () => {
    const waiting = dispatch('wait=20');
    const jobId = await newestJob();
    await startJob(service, tenant, jobId);
    const early = await Promise.race([waiting, sleep(200, 'still waiting')]);
    expect(early).toBe('still waiting');
    await finishJob(service, tenant, jobId);
    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ public_id: jobId, status: 'SUCCESS', credits_cost: 5 });
    expect(answer.body.result.artifacts).toHaveLength(1);
    expect(answer.body.latest_event.event_type).toBe('succeeded');
    expect(answer.headers.get('preference-applied')).toBe('wait=20');
    expect(answer.headers.get('location')).toBe(`/v1/jobs/${jobId}`);
    expect(answer.headers.get('x-consistency-token')).toMatch(/^[\w-]+$/);
  });

  it('answers 200 when the job fails, too: the end is what is waited for', async () => {
    const waiting = dispatch('respond-async, wait=300');
    const jobId = await newestJob();
    await startJob(service, tenant, jobId);
    await failJob(service, tenant, jobId);
    const answer = await waiting;
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'FAILURE', error: { code: 'ENGINE_POLICY' } },
    });
    expect(answer.headers.get('preference-applied')).toBe('wait=60');
  });

  it('answers 202 as usual when the time is over, and charges once', async () => {
    const began = performance.now();
    const answer = await dispatch('wait=1');
    expect(performance.now() - began).toBeGreaterThan(950);
    expect(answer).toMatchObject({ status: 202, body: { status: 'NOT_STARTED', credits_cost: 5 } });
    expect(answer.headers.get('preference-applied')).toBeNull();
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(95);
  });

  it('that is no wish to wait is passed over', async () => {
    for (const prefer of ['wait=0', 'wait=soon', 'respond-async']) {
      const began = performance.now();
      expect((await dispatch(prefer)).status).toBe(202);
      expect(performance.now() - began).toBeLessThan(15_000);
    }
  });

  it('waits for the same job when the request is sent again with its Idempotency-Key', async () => {
    const first = await dispatch('wait=0', { 'idempotency-key': 'k' });
    const jobId = first.body.job_id as string;
    await startJob(service, tenant, jobId);
    await finishJob(service, tenant, jobId);
    const again = await dispatch('wait=5', { 'idempotency-key': 'k' });
    expect(again).toMatchObject({ status: 200, body: { public_id: jobId, status: 'SUCCESS' } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(95);
  });

  it('ends with the client that goes away, and the job goes on', async () => {
    const { hostname, port } = new URL(api.url);
    const request = httpRequest({
      hostname,
      port,
      path: '/v1/model-generator',
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.key}`,
        'content-type': 'application/json',
        prefer: 'wait=60',
      },
    });
    request.on('error', () => undefined).end('{}');
    const jobId = await newestJob();
    request.destroy();
    await sleep(50);
    await startJob(service, tenant, jobId);
    await finishJob(service, tenant, jobId);
    const statuses = new Set<string>();
    while (!statuses.has('SUCCESS')) {
      statuses.add((await api.get(`/v1/jobs/${jobId}`, tenant.key)).body.status as string);
      await sleep(10);
    }
    expect(statuses).not.toContain('FAILURE');
  });
});

it('a server that stops does not keep its clients waiting', async () => {
  const own = await ApiService.start();
  const client = await own.openApi();
  const { key } = await own.openTenant();
  await client.get('/v1/credits', key);
  const waiting = client.post('/v1/model-generator', key, {}, { prefer: 'wait=60' });
  await sleep(500);
  const began = performance.now();
  await own[Symbol.asyncDispose]();
  expect((await waiting).status).toBe(202);
  expect(performance.now() - began).toBeLessThan(10_000);
});

describe('X-Atelier-Test-Outcome', () => {
  const path = '/v1/model-generator';

  it('is kept with a job of a test key', async () => {
    const tester = await service.openTenant({ environment: 'test' });
    const outcomes = ['policy', 'no_image', 'capacity_then_success', 'timeout', 'partial', 'crash'];
    for (const outcome of outcomes) {
      const answer = await api.post(path, tester.key, {}, { 'x-atelier-test-outcome': outcome });
      expect(answer.status).toBe(202);
      const [queued] = await eventsIn(service.store, `test.job-${answer.body.job_id}`);
      expect(queued?.data).toMatchObject({ testOutcome: outcome });
    }
  });

  it('is refused when it is unknown, and with a live key', async () => {
    const tester = await service.openTenant({ environment: 'test' });
    for (const [key, outcome] of [
      [tester.key, 'success'],
      [tester.key, 'POLICY'],
      [tester.key, ''],
      [tenant.key, 'policy'],
    ] as const) {
      const answer = await api.post(path, key, {}, { 'x-atelier-test-outcome': outcome });
      expect(answer).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['header', 'X-Atelier-Test-Outcome'] }] },
      });
    }
  });

  it('is part of what an Idempotency-Key stands for', async () => {
    const tester = await service.openTenant({ environment: 'test' });
    const headers = { 'idempotency-key': 'k', 'x-atelier-test-outcome': 'policy' };
    expect((await api.post(path, tester.key, {}, headers)).status).toBe(202);
    expect((await api.post(path, tester.key, {}, headers)).headers.get('idempotent-replayed')).toBe('true');
    const other = { ...headers, 'x-atelier-test-outcome': 'crash' };
    expect((await api.post(path, tester.key, {}, other)).body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });
});
