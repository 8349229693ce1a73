import { describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { Attempts } from '#application/limits/attempts.js';
import { generateApiKey } from '#application/key/api-key.js';
import { startRole, type RoleProcess } from '../support/role-process.js';
import { contextOf, type Tenant } from './support/api-service.js';
import { ApiClient, expectError, type Answer } from './support/api-client.js';
import { changePlan } from '../support/operator.js';
import { openWorld } from './support/world.js';

const { service, api } = await openWorld();

const limited = (rateLimitPerMin: number) => service.openTenant({ terms: { rateLimitPerMin } });
const count = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

/** Calls at once, which take less than a minute. */
async function burst(apis: readonly ApiClient[], { key }: Tenant, calls: number) {
  return Promise.all(
    Array.from({ length: calls }, (_, index) =>
      (apis[index % apis.length] as ApiClient).get('/v1/credits', key),
    ),
  );
}

describe('the rate limit', () => {
  it('lets a whole minute’s allowance through at once, and no more, and says so on every answer', async () => {
    const tenant = await limited(20);
    for (let left = 19; left >= 0; left--) {
      const { status, headers } = await api.get(left % 2 === 0 ? '/v1/credits' : '/v1/jobs/x', tenant.key);
      expect(status).toBe(left % 2 === 0 ? 200 : 404);
      expect(headers.get('ratelimit-policy')).toBe('"default";q=20;w=60');
      const told = /^"default";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '');
      expect(told?.slice(1)).toEqual([String(left), '60']);
    }
    const refused = await api.get('/v1/credits', tenant.key);
    expectError(refused, 429, 'RATE_LIMITED');
    // The first of the twenty requests leaves the window after a minute. A part of that minute is over, and
    // more of it on a busy machine.
    expect(refused.headers.get('ratelimit')).toMatch(/^"default";r=0;t=(?:60|[1-5]\d)$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  it('is one of each key, whichever routes it calls', async () => {
    const tenant = await limited(2);
    const other = await service.issueKey(tenant, ['jobs:read']);
    expect((await api.get('/v1/operations', tenant.key)).status).toBe(200);
    expect((await api.get('/v1/jobs', tenant.key)).status).toBe(200);
    expectError(await api.get('/v1/usage', tenant.key), 429, 'RATE_LIMITED');
    expect((await api.get('/v1/jobs', other.key)).status).toBe(200);
  });

  it('comes before everything else but the key: the body is not looked at, and nothing is written', async () => {
    const tenant = await limited(1);
    await api.get('/v1/credits', tenant.key);
    for (const body of ['{', '{"seed":"x"}', '{}']) {
      const answer = await api.call('POST', '/v1/model-generator', { key: tenant.key, body });
      expectError(answer, 429, 'RATE_LIMITED');
    }
    const reader = await service.issueKey(tenant, ['jobs:read']);
    expect((await api.get('/v1/usage', reader.key)).body.total).toBe(0);
  });

  it('does not hold for what needs no key', async () => {
    for (const path of ['/health/live', '/health/ready', '/openapi.json', '/docs']) {
      const { status, headers } = await api.get(path);
      expect({ path, status, limit: headers.get('ratelimit') }).toEqual({ path, status: 200, limit: null });
    }
  });

  it('changes with the plan, without a restart', async () => {
    const tenant = await limited(1);
    expect((await api.get('/v1/credits', tenant.key)).status).toBe(200);
    expect((await api.get('/v1/credits', tenant.key)).status).toBe(429);
    await changePlan(service.accounts, contextOf('live', tenant.id), { rateLimitPerMin: 1_000 });
    // On a quiet machine this takes a few milliseconds; only the test's time limit bounds it.
    while ((await api.get('/v1/credits', tenant.key)).status !== 200) await sleep(10);
  });

  it('is exact under parallel calls', async () => {
    const tenant = await limited(50);
    const answers = await burst([api], tenant, 200);
    expect([count(answers, 200), count(answers, 429)]).toEqual([50, 150]);
  });
});

describe('with RATE_LIMIT_STORE=postgres', () => {
  it('two processes count together: of 200 parallel calls at a limit of 50, 50 pass', async () => {
    const roles: RoleProcess[] = [];
    try {
      for (let each = 0; each < 2; each++) {
        const settings = { ...service.roleSettings, RATE_LIMIT_STORE: 'postgres', LOG_LEVEL: 'warn' };
        roles.push(await startRole('apps/api/src/main.js', settings));
      }
      const apis = roles.map(({ ready }) => new ApiClient(`http://127.0.0.1:${String(ready['port'])}`));
      const round = async () => {
        // Both processes know the account before the burst.
        const tenant = await limited(50);
        const warm = await service.issueKey(tenant, ['jobs:read']);
        for (const each of apis) await each.get('/v1/credits', warm.key);
        const logged = roles.map((role) => role.logged().length);
        const answers = await burst(apis, tenant, 200);
        // A process counts alone when the database does not answer within a second; such a round proves
        // nothing.
        const alone = roles.some((role, at) =>
          role.logged().slice(logged[at]).includes('by this process alone'),
        );
        return { answers, alone };
      };
      let { answers, alone } = await round();
      while (alone) ({ answers, alone } = await round());
      expect([count(answers, 200), count(answers, 429)]).toEqual([50, 150]);
    } finally {
      await Promise.all(roles.map((role) => role.stop()));
    }
  });
});

describe('failed authentication', () => {
  it('is limited for each address, in the same words, and locks no good key out', async () => {
    const bounded = await service.openApi(undefined, { authFailuresPerMin: 5 });
    const { key } = await service.openTenant();
    expect((await bounded.get('/v1/credits', key)).status).toBe(200);
    const guesses = Array.from({ length: 5 }, () => generateApiKey('live').key);
    for (const guess of guesses) expectError(await bounded.get('/v1/credits', guess), 401, 'UNAUTHENTICATED');
    const messages = new Set<string>();
    for (const bad of [undefined, 'nonsense', ...guesses]) {
      const answer = await bounded.get('/v1/credits', bad);
      expectError(answer, 429, 'RATE_LIMITED');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.headers.get('ratelimit')).toBeNull();
      messages.add((answer.body.error.message as string).replace(/\d+/, 'n'));
    }
    expect(messages.size).toBe(1);
    expect((await bounded.get('/v1/credits', key)).status).toBe(200);
    // So does a key that this process has never seen.
    expect((await bounded.get('/v1/credits', (await service.openTenant()).key)).status).toBe(200);
  });

  it('has 500 keys of an address wait to be checked, and refuses the next one for a second', async () => {
    const { app, client } = await service.openApp(undefined, { authFailuresPerMin: 1 });
    const { key } = await service.openTenant();
    for (const status of [401, 429])
      expect((await client.get('/v1/credits', generateApiKey('live').key)).status).toBe(status);
    const answered = Promise.withResolvers<undefined>();
    const attempts = app.get(Attempts);
    const waiting = Array.from({ length: 500 }, () =>
      attempts.lookUp('127.0.0.1', true, () => answered.promise),
    );
    const refused = await client.get('/v1/credits', key);
    expectError(refused, 429, 'RATE_LIMITED');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.body.error.message).toContain('waiting to be checked');
    answered.resolve(undefined);
    await Promise.all(waiting);
    expect((await client.get('/v1/credits', key)).status).toBe(200);
  });

  it('is counted by the client’s address where a trusted proxy says it, and only there', async () => {
    const settings = { authFailuresPerMin: 1 };
    const behind = await service.openApi(undefined, { ...settings, trustedProxies: ['loopback'] });
    const open = await service.openApi(undefined, settings);
    const from = (to: ApiClient, address: string) =>
      to.get('/v1/credits', undefined, { 'x-forwarded-for': address });
    expect((await from(behind, '192.0.2.1')).status).toBe(401);
    expect((await from(behind, '192.0.2.1')).status).toBe(429);
    expect((await from(behind, '192.0.2.2')).status).toBe(401);
    // Entries that the client adds come before the entry that the proxy adds.
    expect((await from(behind, '192.0.2.3, 192.0.2.2')).status).toBe(429);
    expect((await from(open, '192.0.2.1')).status).toBe(401);
    expect((await from(open, '192.0.2.2')).status).toBe(429);
  });
});
