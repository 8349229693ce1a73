import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { ApiService, type Tenant } from './support/api-service.js';
import { expectError, type Answer, type Json } from './support/api-client.js';
import { openWorld } from './support/world.js';

const { service, api: direct } = await openWorld();
const url = new URL(service.databaseUrl);
const proxy = await startTcpProxy(Number(url.port));
url.port = String(proxy.port);
const api = await service.openApi(url.href);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await proxy.close();
});
let tenant: Tenant;
beforeEach(async () => {
  tenant = await service.openTenant({ credits: 1_000 });
  // The API must have the key in memory before its database goes away, and the ledger must have the account.
  await eventually(async () => {
    const { status, headers } = await api.get('/v1/transactions', tenant.key);
    expect({ status, stale: headers.get('x-consistency') }).toEqual({ status: 200, stale: null });
  });
});

async function untilReady(): Promise<void> {
  for (let tries = 0; (await api.get('/health/ready')).status !== 200; tries++) {
    expect(tries).toBeLessThan(200);
    await sleep(50);
  }
}

describe('while the database is away', () => {
  it('every request is answered with 503 and when to come again, and none with 500', async () => {
    proxy.refuse();
    try {
      const answers = await Promise.all([
        api.get('/health/ready'),
        api.get('/v1/credits', tenant.key),
        api.get('/v1/jobs', tenant.key),
        api.get('/v1/transactions', tenant.key),
        // The current price of a dispatch is read from the log: a price in memory may be out of date.
        api.get('/v1/operations', tenant.key),
        api.get('/v1/jobs/01K9Z7J0V6X8Y2Z4A6B8C0D2EF', tenant.key),
        api.post('/v1/model-generator', tenant.key, {}),
        api.post('/v1/model-generator', tenant.key, {}, { 'idempotency-key': 'away' }),
      ]);
      for (const answer of answers) {
        expectError(answer, 503, 'SERVICE_UNAVAILABLE');
        expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      }
      // Routes without a database still answer, and a wrong body is still reported as such.
      expect((await api.get('/health/live')).status).toBe(200);
      expect((await api.get('/v1/garment-categories', tenant.key)).status).toBe(200);
      expectError(await api.post('/v1/model-generator', tenant.key, { seed: 'x' }), 422, 'VALIDATION_ERROR');
    } finally {
      proxy.restore();
    }
    await untilReady();
    expect((await api.get('/v1/jobs', tenant.key)).body.count).toBe(0);
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(1_000);
  });
});

describe('while connections break', () => {
  it('a dispatch that is repeated with its Idempotency-Key happens once', async () => {
    const breaking = (async () => {
      for (let round = 0; round < 12; round++) {
        await sleep(60);
        proxy.cut();
      }
    })();
    const persistently = async (key: string): Promise<Answer> => {
      for (;;) {
        const answer = await api.post('/v1/model-generator', tenant.key, {}, { 'idempotency-key': key });
        if (answer.status === 202) return answer;
        expect([409, 503]).toContain(answer.status);
        await sleep(50);
      }
    };
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => persistently(`key-${index}`)));
    await breaking;
    const jobs = new Set(answers.map(({ body }) => body.job_id as string));
    expect(jobs.size).toBe(40);
    // A charge without a job may remain open for the sweep; a job without its charge may not exist.
    const listed = (await api.get('/v1/jobs?limit=200', tenant.key)).body.jobs as { public_id: string }[];
    expect(new Set(listed.map(({ public_id: id }) => id))).toEqual(jobs);
    const { items } = (await api.get('/v1/transactions?limit=200', tenant.key)).body as {
      items: { kind: string; credits_delta: number }[];
    };
    expect(items.filter(({ kind }) => kind === 'operation')).toHaveLength(40);
    const sum = items.reduce((all, { credits_delta: delta }) => all + delta, 0);
    expect((await direct.get('/v1/credits', tenant.key)).body.balance).toBe(sum);
  });
});

describe('without a projector, or with a slow one', () => {
  it('reads say that they are stale, and a job is shown all the same', async () => {
    await using halted = await ApiService.start({ projector: false });
    const behind = await halted.openApi();
    const { key } = await halted.openTenant();
    const { body } = await behind.post('/v1/model-generator', key, {});
    const job = await behind.get(`/v1/jobs/${body.job_id}`, key);
    expect(job).toMatchObject({ status: 200, body: { status: 'NOT_STARTED', credits_cost: 5 } });
    const events = await behind.get(`/v1/jobs/${body.job_id}/events`, key);
    expect(events.body).toMatchObject({ latest_seq: 1, events: [{ event_type: 'queued' }] });
    const jobs = await behind.get('/v1/jobs', key);
    expect(jobs).toMatchObject({ status: 200, body: { count: 0 } });
    expect(jobs.headers.get('x-consistency')).toBe('stale');
    expect((await behind.get('/v1/credits', key)).body.balance).toBe(95);
  });

  it.each([
    ['/v1/jobs', ({ count }: Json) => count as number],
    ['/v1/usage', ({ total }: Json) => total as number],
    // The purchase, and the charge.
    ['/v1/transactions', ({ total }: Json) => (total as number) - 1],
  ])('%s waits for one that is late', async (path, countOf) => {
    const { key } = tenant;
    const holder = new pg.Client({ connectionString: service.databaseUrl });
    await holder.connect();
    await holder.query('begin; lock table read_store.projections in exclusive mode');
    await direct.post('/v1/model-generator', key, {});
    const reading = direct.get(path, key);
    await sleep(300);
    await holder.end();
    const answer = await reading;
    expect({ count: countOf(answer.body), stale: answer.headers.get('x-consistency') }).toEqual({
      count: 1,
      stale: null,
    });
  });
});
