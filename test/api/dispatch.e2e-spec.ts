import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiService } from './support/api-service.js';
import { expectError, type ApiClient } from './support/api-client.js';

let service: ApiService;
let api: ApiClient;

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('a dispatch', () => {
  it('is charged, queued and answered with what the client needs next', async () => {
    const { key } = await service.openTenant({ credits: 12 });
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
    const { key } = await service.openTenant({ credits: 12 });
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
      expect(credits.body).toMatchObject({ balance: 12 - 5 * round, daily_spend_today: 5 * round });
      for (const answer of [job, events, jobs, usage, ledger, credits]) {
        expect(answer.headers.get('x-consistency')).toBeNull();
      }
    }
  });

  it('beyond the balance is refused, costs nothing, and stands in the usage log', async () => {
    const { key } = await service.openTenant({ credits: 4 });
    const answer = await api.post('/v1/model-generator', key, {});
    expectError(answer, 402, 'INSUFFICIENT_BALANCE');
    const usage = await api.get('/v1/usage', key);
    expect(usage.body).toMatchObject({
      total: 1,
      items: [
        { request_id: answer.body.error.request_id, status: 'FAILED', http_status: 402, credits_charged: 0 },
      ],
    });
    expect((await api.get('/v1/credits', key)).body.balance).toBe(4);
    expect((await api.get('/v1/jobs', key)).body.count).toBe(0);
  });
});
