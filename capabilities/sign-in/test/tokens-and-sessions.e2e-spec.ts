import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiService } from '../../../test/api/support/api-service.js';
import { AdminService } from '../../../test/admin/support.js';
import { generateOperatorToken } from '../operator-token.js';
import type { OperatorSignIn } from '../operator-sign-in.js';

let service: ApiService;
let admin: AdminService;
let token: string;
let reader: string;
let now = new Date();

beforeAll(async () => {
  service = await ApiService.start();
  admin = await AdminService.start(service.databaseUrl, { clock: () => now });
  token = await admin.token('ada', 'admin', 30 * 86_400_000);
  reader = await admin.token('ben', 'read', 30 * 86_400_000);
});
afterAll(async () => {
  await admin[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

/** Logs in, and returns the cookie as a browser keeps it. */
async function logIn(as = token): Promise<{ cookie: string }> {
  const { status, headers } = await admin.ask('POST /session', as);
  expect(status).toBe(200);
  const [cookie = ''] = headers.getSetCookie()[0]?.split(';') ?? [];
  return { cookie };
}

const own = { 'sec-fetch-site': 'same-origin' };
const tenant = { name: 'Maison', credits: 0 };
const ask = (route: string, headers: Record<string, string>, body?: object) =>
  admin.ask(route, undefined, body, headers);

describe('a token', () => {
  it('that was stolen is of no use from the moment on at which it is revoked', async () => {
    const token = await admin.token('thief', 'admin');
    expect((await admin.ask('GET /operators', token)).status).toBe(200);
    const { status } = await admin.ask('POST /operators/thief/revoke', token, { reason: 'stolen' });
    expect(status).toBe(200);
    expect((await admin.ask('GET /operators', token)).status).toBe(401);
    const { body } = await admin.ask('GET /operators', reader);
    expect(body.operators.find((each: { name: string }) => each.name === 'thief')).toMatchObject({
      status: 'revoked',
    });
    expect(JSON.stringify(body)).not.toContain('tokenHash');
  });

  it('cannot be guessed at leisure, and who guesses locks nobody out', async () => {
    await using slow = await AdminService.start(service.databaseUrl, { failuresPerMin: 3 });
    expect((await slow.ask('GET /operators', reader)).status).toBe(200);
    const guesses = await Promise.all(
      Array.from({ length: 6 }, () => slow.ask('GET /operators', generateOperatorToken('ada'))),
    );
    const statuses = guesses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(3);
    expect((await slow.ask('GET /operators', reader)).status).toBe(200);
    // A good token passes even if this process has never seen it.
    expect((await slow.ask('GET /operators', token)).status).toBe(200);
    expect((await slow.ask('GET /operators', 'op_no_token')).status).toBe(429);
  });

  it('is refused for a second where 500 others of its address wait to be checked', async () => {
    await using slow = await AdminService.start(service.databaseUrl, { failuresPerMin: 1 });
    for (const status of [401, 429])
      expect((await slow.ask('GET /operators', generateOperatorToken('ada'))).status).toBe(status);
    const answered = Promise.withResolvers<undefined>();
    const waiting = Array.from({ length: 500 }, () =>
      (slow.server['signIn'] as OperatorSignIn)['attempts'].lookUp('127.0.0.1', true, () => answered.promise),
    );
    const { status, headers, body } = await slow.ask('GET /operators', token);
    expect({ status, retryAfter: headers.get('retry-after') }).toEqual({ status: 429, retryAfter: '1' });
    expect(body.error.message).toContain('wait to be checked');
    answered.resolve(undefined);
    await Promise.all(waiting);
    expect((await slow.ask('GET /operators', token)).status).toBe(200);
  });

  it('comes in its header only: a page of another origin gets nothing, by whatever means', async () => {
    const cookie = { cookie: `token=${token}`, origin: 'https://evil.example' };
    expect((await admin.ask('GET /operators', undefined, undefined, cookie)).status).toBe(401);
    expect((await admin.ask(`GET /operators?access_token=${token}`, undefined)).status).toBe(401);
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const answer = await admin.ask('OPTIONS /operators', undefined, undefined, preflight);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});

describe('a session', () => {
  it('is given for a token, which no page has to keep, and its cookie no script can read', async () => {
    const { body, headers } = await admin.ask('POST /session', token);
    expect(body).toMatchObject({ name: 'ada', role: 'admin', session_expires_at: expect.any(String) });
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^atelier-operator=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(JSON.stringify(body)).not.toContain(token);
    expect((await admin.ask('POST /session', undefined)).status).toBe(401);
  });

  it('has a cookie that only its host gets, and only with TLS, where browsers reach it so', async () => {
    const variables = { ATELIER_ADMIN_PUBLIC_URL: 'https://admin.atelier.example/' };
    await using behindProxy = await AdminService.start(service.databaseUrl, { variables });
    const { headers } = await behindProxy.ask('POST /session', token);
    expect(headers.getSetCookie()[0]).toMatch(
      /^__Host-atelier-operator=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    const [cookie = ''] = headers.getSetCookie()[0]?.split(';') ?? [];
    const origin = { cookie, origin: 'https://admin.atelier.example' };
    expect((await behindProxy.ask('POST /tenants', undefined, tenant, origin)).status).toBe(200);
    const plain = { cookie, origin: 'http://admin.atelier.example' };
    expect((await behindProxy.ask('POST /tenants', undefined, tenant, plain)).status).toBe(403);
  });

  it('is as good as its token, and what is done in it has the name of who logged in', async () => {
    const browser = { ...(await logIn()), ...own };
    expect((await ask('GET /session', browser)).body).toMatchObject({ name: 'ada', role: 'admin' });
    const made = await ask('POST /tenants', browser, tenant);
    expect(made.status).toBe(200);
    const { body } = await ask('GET /actions?limit=5', browser);
    const done = body.actions.map(({ by, action, input }: Record<string, unknown>) => [by, action, input]);
    expect(done[0]).toEqual(['ada', 'tenants create', tenant]);
    expect(done[1]).toEqual(['ada', 'session begin', { via: 'token' }]);
  });

  it.each([
    ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a page of a neighbour', { 'sec-fetch-site': 'same-site' }],
    ['a link', { 'sec-fetch-site': 'none' }],
    ['an old browser on another site', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['who does not say where from', {}],
  ])('is of no use to %s', async (_who, headers) => {
    const browser = { ...(await logIn()), ...headers };
    for (const route of ['POST /tenants', 'POST /operators/nobody/revoke', 'DELETE /session'])
      expect(await ask(route, browser, route.startsWith('POST') ? tenant : undefined)).toMatchObject({
        status: 403,
        body: { error: { code: 'FOREIGN_ORIGIN' } },
      });
    // The session has not ended either: a foreign request cannot end it.
    expect((await ask('GET /session', { cookie: browser.cookie, ...own })).status).toBe(200);
  });

  it('can be looked at from its own pages only', async () => {
    const { cookie } = await logIn();
    const foreign = { cookie, 'sec-fetch-site': 'cross-site' };
    expect((await ask('GET /tenants', foreign)).status).toBe(403);
    expect((await ask('GET /tenants', { cookie, 'sec-fetch-site': 'none' })).status).toBe(200);
    const tls = { cookie, origin: admin.url.replace('http:', 'https:') };
    expect((await ask('POST /tenants', tls, tenant)).status).toBe(403);
    const old = { cookie, origin: admin.url };
    expect((await ask('POST /tenants', old, tenant)).status).toBe(200);
  });

  it('that was stolen is of no use once it was ended, and others go on', async () => {
    const [stolen, other] = [await logIn(), await logIn()];
    expect((await ask('DELETE /session', { ...stolen, ...own })).status).toBe(200);
    expect((await ask('GET /tenants', { ...stolen, ...own })).status).toBe(401);
    expect((await ask('GET /tenants', { ...other, ...own })).status).toBe(200);
    const guessed = { cookie: `atelier-operator=${'A'.repeat(43)}`, ...own };
    expect((await ask('GET /tenants', guessed)).status).toBe(401);
  });

  it('ends with its operator, and follows their role', async () => {
    const leaver = await logIn(await admin.token('leaver', 'read'));
    expect((await ask('POST /tenants', { ...leaver, ...own }, tenant)).status).toBe(403);
    await admin.ask('POST /operators/leaver/revoke', token, {});
    expect((await ask('GET /tenants', { ...leaver, ...own })).status).toBe(401);
  });

  it('is over after eight hours', async () => {
    const early = await logIn();
    const began = now;
    now = new Date(began.getTime() + 8 * 3_600_000 - 1);
    expect((await ask('GET /tenants', { ...early, ...own })).status).toBe(200);
    now = new Date(began.getTime() + 8 * 3_600_000);
    expect((await ask('GET /tenants', { ...early, ...own })).status).toBe(401);
  });
});
