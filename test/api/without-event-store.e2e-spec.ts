import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { ApiService } from './support/api-service.js';
import { expectError, type Answer } from './support/api-client.js';
import { eventually } from '../support/eventually.js';
import { untilEnd } from '../support/until-end.js';

const service = untilEnd(await ApiService.start());
const url = new URL(service.databaseUrl);
const proxy = await startTcpProxy(Number(url.port));
url.port = String(proxy.port);
/** This API reaches the log through a proxy that refuses, and the read models directly. */
const api = await service.openApi(undefined, { eventStoreUrl: url.href, keyGraceMs: 600_000 });
const tenant = await service.openTenant({ credits: 1_000 });

describe('while the event store is away and the read models are not', () => {
  let jobId: string;
  const clock = { skipMs: 0 };
  const realNow = performance.now.bind(performance);

  beforeAll(async () => {
    // The API knows the key, the account and its rate.
    jobId = (await api.post('/v1/model-generator', tenant.key, { seed: 7 })).body.job_id as string;
    await eventually(async () => {
      const { body } = await api.get('/v1/transactions', tenant.key);
      expect(body.total).toBe(2);
    });
    performance.now = () => realNow() + clock.skipMs;
  });
  afterAll(async () => {
    performance.now = realNow;
    await service[Symbol.asyncDispose]();
    await proxy.close();
  });

  async function timed(ask: () => Promise<Answer>) {
    const begunAt = realNow();
    const answer = await ask();
    return { answer, tookMs: realNow() - begunAt };
  }

  it('reads are answered from the read models and say so, dispatches are refused, both at once', async () => {
    expect((await api.get('/v1/credits', tenant.key)).headers.get('x-consistency')).toBeNull();
    proxy.refuse();
    try {
      // The first call that times out discovers the outage. It has one deadline, however many calls of the
      // store it makes.
      const [first, read] = await Promise.all([
        timed(() => api.post('/v1/model-generator', tenant.key, {})),
        timed(() => api.get('/v1/credits', tenant.key)),
      ]);
      expectError(first.answer, 503, 'SERVICE_UNAVAILABLE');
      expect(first.tookMs).toBeLessThan(13_000);
      expect(read.answer).toMatchObject({ status: 200, body: { balance: 995 } });
      expect(read.tookMs).toBeLessThan(5_000);

      // By now the memory of keys and rates has expired.
      clock.skipMs = 120_000;
      const answers = await Promise.all([
        timed(() => api.get('/v1/credits', tenant.key)),
        timed(() => api.get('/v1/transactions', tenant.key)),
        timed(() => api.get('/v1/usage', tenant.key)),
        timed(() => api.get('/v1/jobs', tenant.key)),
        timed(() => api.get(`/v1/jobs/${jobId}`, tenant.key)),
        timed(() => api.get(`/v1/jobs/${jobId}/events`, tenant.key)),
        timed(() => api.get(`/v1/jobs/${jobId}/events?since=1&wait=1`, tenant.key)),
        timed(() => api.get('/v1/renders', tenant.key)),
      ]);
      for (const { answer, tookMs } of answers) {
        expect(answer.status).toBe(200);
        expect(answer.headers.get('x-consistency')).toBe('stale');
        expect(tookMs).toBeLessThan(2_000);
      }
      expect(answers[0].answer.body).toMatchObject({ balance: 995, is_active: true });
      expect(answers[1].answer.body.total).toBe(2);
      expect(answers[4].answer.body).toMatchObject({ public_id: jobId, credits_cost: 5, request: null });
      expect(answers[5].answer.body).toMatchObject({ latest_seq: 1, events: [{ event_type: 'queued' }] });

      // A load balancer must go on sending requests to this API.
      expect((await api.get('/health/ready')).status).toBe(200);
      const dispatch = await timed(() => api.post('/v1/model-generator', tenant.key, {}));
      expectError(dispatch.answer, 503, 'SERVICE_UNAVAILABLE');
      expect(dispatch.answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(dispatch.tookMs).toBeLessThan(1_000);
      // The log may have a job that no read model has, so the API must not call it unknown.
      expectError(
        await api.get('/v1/jobs/01K9Z7J0V6X8Y2Z4A6B8C0D2EF', tenant.key),
        503,
        'SERVICE_UNAVAILABLE',
      );
    } finally {
      proxy.restore();
    }
    await eventually(async () => {
      const answer = await api.post('/v1/model-generator', tenant.key, {});
      expect(answer.status).toBe(202);
    });
    const credits = await api.get('/v1/credits', tenant.key);
    expect(credits.headers.get('x-consistency')).toBeNull();
    expect((await api.get(`/v1/jobs/${jobId}`, tenant.key)).body.request).toMatchObject({ seed: 7 });
  });

  it('a key that the read model knows to be revoked is refused, and no key outlives the grace', async () => {
    const revoked = await service.openTenant();
    const other = await service.openTenant();
    for (const { key } of [revoked, other]) expect((await api.get('/v1/credits', key)).status).toBe(200);
    // Revokes the key in the read model only: this process does not hear of it.
    const client = new pg.Client({ connectionString: service.databaseUrl });
    await client.connect();
    await eventually(async () => {
      const statement = 'update live.keys set revoked_at = now() where key_id = $1';
      expect((await client.query(statement, [revoked.keyId])).rowCount).toBe(1);
    });
    await client.end();
    proxy.refuse();
    try {
      await api.get('/v1/credits', tenant.key);
      clock.skipMs += 120_000;
      expectError(await api.get('/v1/credits', revoked.key), 401, 'UNAUTHENTICATED');
      expect((await api.get('/v1/credits', other.key)).status).toBe(200);
      clock.skipMs += 600_000;
      expectError(await api.get('/v1/credits', other.key), 503, 'SERVICE_UNAVAILABLE');
    } finally {
      proxy.restore();
    }
  });
});
