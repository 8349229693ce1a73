import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiService } from './support/api-service.js';
import { expectError, type ApiClient } from './support/api-client.js';

let service: ApiService;
let api: ApiClient;

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
});
afterAll(() => service[Symbol.asyncDispose]());

const jobId = '01K9Z7J0V6X8Y2Z4A6B8C0D2EF';

/** Every route of the interface with the capability that it requires; null: any valid key is enough. */
const routes = [
  ['POST', '/v1/model-generator', 'jobs:create'],
  ['POST', '/v1/product-to-model-direct', 'jobs:create'],
  ['POST', '/v1/uploads', 'jobs:create'],
  ['GET', '/v1/jobs', 'jobs:read'],
  ['GET', `/v1/jobs/${jobId}`, 'jobs:read'],
  ['GET', `/v1/jobs/${jobId}/events`, 'jobs:read'],
  ['GET', '/v1/renders', 'jobs:read'],
  ['GET', `/v1/renders/${jobId}`, 'jobs:read'],
  ['GET', '/v1/credits', null],
  ['GET', '/v1/usage', null],
  ['GET', '/v1/transactions', null],
  ['GET', '/v1/operations', null],
] as const;

describe.each(routes)('%s %s', (method, path, capability) => {
  it('answers 401, always with the same words, to a key that is missing, malformed, unknown or revoked', async () => {
    const tenant = await service.openTenant();
    const unknown = { ...tenant, key: tenant.key.replace(/.{7}$/, '0000000') };
    await service.revoke(tenant);
    const headers = [
      {},
      { authorization: 'Bearer' },
      { authorization: 'Bearer nonsense' },
      { authorization: `Basic ${tenant.key}` },
      { authorization: `Bearer ${unknown.key}` },
      { authorization: `Bearer ${tenant.key}` },
      { authorization: `Bearer ${'x'.repeat(4_000)}` },
    ];
    const messages = new Set<string>();
    for (const header of headers) {
      // The body must not matter before the key is checked.
      const answer = await api.call(method, path, {
        headers: { ...header, 'content-type': 'application/json' },
        ...(method === 'POST' ? { body: '{' } : {}),
      });
      expectError(answer, 401, 'UNAUTHENTICATED');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      messages.add(answer.body.error.message as string);
    }
    expect(messages.size).toBe(1);
  });

  it(`asks for ${capability ?? 'no capability'}`, async () => {
    const tenant = await service.openTenant();
    const both = ['jobs:create', 'jobs:read'] as const;
    for (const held of [[], ...both.map((one) => [one])]) {
      const { key } = await service.issueKey(tenant, held);
      const answer = await api.call(method, path, { key, ...(method === 'POST' ? { json: {} } : {}) });
      const lacking = capability !== null && !(held as string[]).includes(capability);
      if (lacking) expectError(answer, 403, 'CAPABILITY_REQUIRED');
      else expect([401, 403]).not.toContain(answer.status);
    }
  });
});

describe('a key', () => {
  it('stops working soon after it was revoked', async () => {
    const tenant = await service.openTenant();
    expect((await api.get('/v1/credits', tenant.key)).status).toBe(200);
    await service.revoke(tenant);
    for (let tries = 0; (await api.get('/v1/credits', tenant.key)).status === 200; tries++) {
      expect(tries).toBeLessThan(100);
      await sleep(20);
    }
  });

  it('of one environment sees nothing of the other', async () => {
    const live = await service.openTenant({ environment: 'live', credits: 20 });
    const test = await service.issueKey({ id: live.id, environment: 'test' }, ['jobs:create', 'jobs:read']);
    const { body } = await api.post('/v1/model-generator', live.key, {});
    expectError(await api.get(`/v1/jobs/${body.job_id}`, test.key), 404, 'RESOURCE_NOT_FOUND');
    expect((await api.get('/v1/jobs', test.key)).body.count).toBe(0);
    expect((await api.get('/v1/transactions', test.key)).body.total).toBe(0);
    expect((await api.get('/v1/credits', test.key)).body).toMatchObject({ balance: 0, is_active: false });
    expectError(await api.post('/v1/model-generator', test.key, {}), 403, 'ACCOUNT_INACTIVE');
  });

  it('needs nothing to ask for health, the docs and the description', async () => {
    expect((await api.get('/health/live')).body).toEqual({ status: 'ok' });
    expect((await api.get('/health/ready')).body).toEqual({ status: 'ok' });
    expect((await api.get('/openapi.json')).body.openapi).toBe('3.1.1');
    const docs = await api.get('/docs');
    expect(docs.status).toBe(200);
    // Nothing is loaded from another host: every address in the page is relative.
    expect(docs.body as string).not.toMatch(/(?:src|href)=['"](?:https?:)?\/\//);
    expect((await api.get('/docs/reference.js')).status).toBe(200);
  });

  it('finds nothing beside the pages of the docs, wherever a path leads', async () => {
    const paths = [
      '../../etc/passwd',
      '%2e%2e/%2e%2e/etc/passwd',
      '..%2f..%2fetc%2fpasswd',
      '../package.json',
      '%00',
      'a%00b',
      'nothing',
      'guides/nothing',
      'guides/nothing.md',
      'guides/..%2fadr',
      'a/b',
      '/x',
      '.git',
      'a'.repeat(300),
      'a'.repeat(5_000),
      '%5c..%5c..%5cetc',
      'con',
      '*',
    ];
    for (const path of paths) {
      const { status, text } = await api.raw(`/docs/${path}`);
      expect([path.slice(0, 40), status, JSON.parse(text).error.code]).toEqual([
        path.slice(0, 40),
        404,
        'RESOURCE_NOT_FOUND',
      ]);
    }
    expectError(await api.call('POST', '/docs'), 405, 'METHOD_NOT_ALLOWED');
  });

  it('tells browsers to take each answer for what it is', async () => {
    for (const path of ['/v1/credits', '/openapi.json', '/nothing', '/docs', '/docs/guides/errors', '/']) {
      const { headers } = await api.get(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      const policy = headers.get('content-security-policy');
      expect(policy).toMatch(/^default-src 'none';.* frame-ancestors 'none'$/);
      expect(policy?.includes("script-src 'self'")).toBe(path.startsWith('/docs') || path === '/');
    }
  });
});

describe('a refusal for a missing capability', () => {
  it('stands in the usage log when it was a dispatch', async () => {
    const tenant = await service.openTenant({ capabilities: ['jobs:read'] });
    const answer = await api.post('/v1/model-generator', tenant.key, {});
    const { items } = (await api.get('/v1/usage', tenant.key)).body;
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      request_id: answer.body.error.request_id,
      endpoint: '/v1/model-generator',
      method: 'POST',
      status: 'FAILED',
      http_status: 403,
      error_code: 'CAPABILITY_REQUIRED',
    });
  });
});
