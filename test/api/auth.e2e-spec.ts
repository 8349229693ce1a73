import { describe, expect, it } from 'vitest';
import { expectError } from './support/api-client.js';
import { openWorld } from './support/world.js';

const { service, api } = await openWorld();

describe('a key', () => {
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
