import { describe, expect, it } from 'vitest';
import { operatorRoles, type OperatorRole } from '#operator-calls/operator-role.js';
import { calls } from '#capabilities/operate/calls.js';
import { changesThings } from '#capabilities/operate/perform-call.js';
import { generateOperatorToken } from '#capabilities/sign-in/operator-token.js';
import { eventsIn } from '../support/streams.js';
import { openOffice } from './support.js';

const everybody = operatorRoles.join(' ');

/**
 * The decided rights of each role. They are repeated here so that a slip in a declaration shows. Every role may
 * make the other calls, which only look.
 */
const matrix: Record<string, string> = {
  'ledger audit': everybody,
  'objects audit': everybody,
  'alerts test': 'support admin',
  'tenants create': 'finance admin',
  'tenants plan': 'finance admin',
  'tenants suspend': 'support finance admin',
  'tenants reactivate': 'support finance admin',
  'tenants close': 'finance admin',
  'tenants approve-closing': 'finance admin',
  'tenants cancel-closing': 'finance admin',
  'tenants export': 'support admin',
  'credits grant': 'finance admin',
  'credits approve': 'finance admin',
  'credits decline': 'finance admin',
  'credits correct': 'finance admin',
  'keys issue': 'support admin',
  'keys rotate': 'support admin',
  'keys revoke': 'support admin',
  'keys signing-secret': 'support admin',
  'operators add': 'admin',
  'operators revoke': 'admin',
  'jobs cancel': 'support admin',
  'jobs fail': 'support admin',
  'jobs retry': 'support admin',
  'jobs requeue': 'support admin',
  'orphans sweep': 'support admin',
  'operations price': 'finance admin',
  'operations withdraw-price': 'finance admin',
  'operations enable': 'support admin',
  'operations disable': 'support admin',
  'presets retire': 'admin',
  'presets publish': 'admin',
  'catalog retire': 'support admin',
  'models check': 'support admin',
  'erasures request': 'support admin',
  'objects accept-loss': 'support admin',
  'projections rebuild': 'admin',
  'projections compare': 'support admin',
  'projections switch': 'admin',
  'projections rollback': 'admin',
  'webhooks create': 'support admin',
  'webhooks update': 'support admin',
  'webhooks remove': 'support admin',
  'webhooks rotate-secret': 'support admin',
  'webhooks test': 'support admin',
  'webhooks resend': 'support admin',
  'releases grant': 'support admin',
  'releases revise': 'support admin',
  'releases withdraw': 'support admin',
  'releases set-rule': 'support admin',
  'retention set': 'support admin',
  'holds place': 'support admin',
  'holds lift': 'support admin',
};

const nowhere = '01K9Z7J0V4M2Q8T6R3N5B1C7DE';
const { service, admin } = await openOffice();
const tokens = {} as Record<OperatorRole, string>;
for (const role of operatorRoles) tokens[role] = await admin.token(`one-${role}`, role);
const expired = await admin.token('late', 'admin', -1);

/** Sends an input that names nothing existing. */
const ask = (route: string, token: string | undefined, headers = {}) =>
  admin.ask(route.replace(/:\w+/g, nowhere), token, route.startsWith('GET') ? undefined : {}, headers);

describe('the role matrix', () => {
  it('has every call that changes things, and no other name', () => {
    const names = (some: typeof calls) => some.map(({ name }) => name);
    expect(Object.keys(matrix)).toEqual(expect.arrayContaining(names(calls.filter(changesThings))));
    expect(names(calls)).toEqual(expect.arrayContaining(Object.keys(matrix)));
    expect(new Set(calls.map(({ route }) => route)).size).toBe(calls.length);
  });

  it.each(calls.flatMap((call) => operatorRoles.map((role) => ({ name: call.name, call, role }))))(
    '$name as $role',
    async ({ name, call, role }) => {
      const { status, body } = await ask(call.route, tokens[role]);
      const may = (matrix[name] ?? everybody).split(' ').includes(role);
      if (may) expect([401, 403]).not.toContain(status);
      else expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'ROLE_REQUIRED' });
    },
  );

  it.each(calls.map((call) => ({ name: call.name, call })))(
    '$name with tokens that are none',
    async ({ call }) => {
      const guessed = generateOperatorToken('one-admin');
      const mistyped = `${tokens.admin.slice(0, -1)}${tokens.admin.endsWith('0') ? '1' : '0'}`;
      const unknown = generateOperatorToken('nobody');
      const answers = [];
      for (const token of [undefined, expired, guessed, mistyped, unknown, 'op__', 'x'.repeat(300)])
        answers.push(await ask(call.route, token));
      for (const { status, body } of answers) {
        expect({ status, code: body.error.code }).toEqual({ status: 401, code: 'UNAUTHENTICATED' });
        expect(body.error.message).toBe(answers[0]?.body.error.message);
      }
    },
  );
});

describe('a token', () => {
  it('is asked for before a body is read, and bodies have a bound', async () => {
    const malformed = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{'.repeat(100),
    };
    const route = `${admin.url}/admin/v1/tenants`;
    expect((await fetch(route, malformed)).status).toBe(401);
    const headers = { ...malformed.headers, authorization: `Bearer ${tokens.admin}` };
    expect((await fetch(route, { ...malformed, headers })).status).toBe(400);
    const large = { ...malformed, headers, body: JSON.stringify({ name: 'x'.repeat(64 * 1024) }) };
    const refused = await fetch(route, large);
    expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining('64 KiB')]);
    expect((await fetch(route, { ...large, headers: malformed.headers })).status).toBe(401);
  });
});

describe('what changes anything', () => {
  it('is written down with the name of who asked for it, also where it was refused', async () => {
    const changing = calls.filter(changesThings).map(({ name }) => name);
    const { body } = await admin.ask('GET /actions?limit=1000', tokens.read);
    const made = await admin.ask('POST /tenants', tokens.finance, { name: 'Maison', credits: 5 });
    const { body: later } = await admin.ask(
      'GET /actions?by=one-finance&action=tenants%20create',
      tokens.read,
    );
    expect(later.actions[0]).toMatchObject({
      by: 'one-finance',
      via: 'api',
      action: 'tenants create',
      outcome: 'done',
      summary: `tenant ${made.body.tenant_id}`,
      request_id: made.headers.get('x-request-id'),
    });
    for (const action of body.actions as { action: string }[]) expect(changing).toContain(action.action);
    const events = await eventsIn(service.store, `live.account-${made.body.tenant_id}`);
    expect(events).not.toEqual([]);
    for (const { metadata } of events)
      expect(metadata).toMatchObject({
        actor: 'operator:one-finance',
        requestId: made.headers.get('x-request-id'),
      });
    const missing = await admin.ask(`POST /tenants/${nowhere}/suspend`, tokens.support, {});
    expect(missing).toMatchObject({ status: 404, body: { error: { code: 'RESOURCE_NOT_FOUND' } } });
    const { body: refused } = await admin.ask('GET /actions?by=one-support&limit=1', tokens.read);
    expect(refused.actions[0]).toMatchObject({ action: 'tenants suspend', outcome: 'refused' });
  });
});
