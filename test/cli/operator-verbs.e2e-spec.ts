import { testSigningKey } from '../support/signing-key.js';
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { environments } from '#domain/streams.js';
import { workflows } from '#workflows/workflows.js';
import type { Json } from '../api/support/api-client.js';
import { openWorld } from '../api/support/world.js';
import { verbsOn } from './support/verbs.js';

const { service, api } = await openWorld({ configuration: { signingKey: testSigningKey } });
const { run: atelier, json: answerOf, complaint } = verbsOn(service);
const json = (...args: string[]) => answerOf(args);
const opening = ['--name', 'Maison', '--credits', '100', '--rate-limit', '1000'];
const tenant: string = (await json('tenants', 'create', ...opening)).tenant_id;

const issuing = (capabilities: string) => {
  const account = ['--tenant', tenant, '--env', 'live'];
  return ['keys', 'issue', ...account, '--capabilities', capabilities];
};
const issue = (...more: string[]) => json(...issuing('ctm:create,ctm:read'), ...more);

const status = async (key: string, headers?: Record<string, string>) =>
  (await api.get('/v1/credits', key, headers)).status;

describe('atelier keys', () => {
  it('rotate: the successor works at once, the old key until the overlap is over, and the list tells both', async () => {
    const old = await issue('--label', 'shop');
    const successor = await json('keys', 'rotate', old.key_id as string, '--overlap', '15m');
    expect(successor).toMatchObject({ tenant_id: tenant, env: 'live', replaces: old.key_id });
    const inMs = Date.parse(successor.retires_at as string) - Date.now();
    expect(inMs).toBeGreaterThan(14 * 60_000);
    expect(inMs).toBeLessThanOrEqual(15 * 60_000);
    expect(await status(old.key as string)).toBe(200);
    expect(await status(successor.key as string)).toBe(200);
    const { keys } = await json('keys', 'list', '--tenant', tenant);
    expect(keys).toMatchObject([
      {
        key_id: successor.key_id,
        status: 'active',
        label: 'shop',
        capabilities: ['jobs:create', 'jobs:read'],
      },
      { key_id: old.key_id, status: 'retiring', retires_at: successor.retires_at },
    ]);
    expect(await complaint(['keys', 'rotate', old.key_id as string])).toBe(
      `atelier: key ${old.key_id} has a successor already: rotate ${successor.key_id}, or revoke it`,
    );
    const last = await json('keys', 'rotate', successor.key_id as string, '--overlap', '0');
    expect(await status(last.key as string)).toBe(200);
    const { keys: later } = await json('keys', 'list', '--tenant', tenant);
    expect((later as Json[]).map((key) => key.status)).toEqual(['active', 'retired', 'retiring']);
  });

  it('issue --require-signature: the secret that is shown is the one to sign with, and can be shown again', async () => {
    const key = await issue('--require-signature');
    expect(key).toMatchObject({ requires_signature: true });
    const shown = await json('keys', 'signing-secret', key.key_id as string);
    expect(shown.signing_secret).toBe(key.signing_secret);
    const signature = createHmac('sha256', key.signing_secret as string)
      .update('')
      .digest('base64');
    expect(await status(key.key as string)).toBe(401);
    expect(await status(key.key as string, { 'x-atelier-hmac-sha256': signature })).toBe(200);
    // Requests with the successor must be signed as well, with a secret of its own.
    const successor = await json('keys', 'rotate', key.key_id as string);
    expect(successor.signing_secret).not.toBe(key.signing_secret);
    expect(await status(successor.key as string)).toBe(401);
  });

  it('issue --require-signature timed: a key that the signature of the body alone does not open', async () => {
    const key = await issue('--require-signature', 'timed');
    expect(key).toMatchObject({ requires_signature: 'timed' });
    const signature = createHmac('sha256', key.signing_secret as string)
      .update('')
      .digest('base64');
    expect(await status(key.key as string, { 'x-atelier-hmac-sha256': signature })).toBe(401);
    expect(await complaint([...issuing('jobs:read'), '--require-signature', 'body'])).toContain(
      'Allowed choices are always, timed',
    );
  });

  it('say what is missing where nothing can be signed or proven, and make no key that nobody would believe', async () => {
    const { keys: before } = await json('keys', 'list', '--tenant', tenant);
    const without = { ATELIER_SIGNING_KEY: '' };
    const args = issuing('jobs:read');
    expect(await complaint([...args, '--require-signature'], without)).toContain('ATELIER_SIGNING_KEY');
    expect(await complaint(args, without)).toContain('nothing can be written without ATELIER_SIGNING_KEY');
    const { keys: after } = await json('keys', 'list', '--tenant', tenant);
    expect(after).toEqual(before);
  });

  it.each(['1w', '-1h', '91d', '24', 'h'])('refuse an overlap of %s', async (overlap) => {
    const { code, stderr } = await atelier(['keys', 'rotate', tenant, `--overlap=${overlap}`]);
    expect(code).toBe(1);
    expect(stderr).toContain('at most 90d');
  });
});

describe('atelier operations', () => {
  const of = (listed: Json, env: string, name: string) =>
    (listed.operations as Json[]).find((each) => each.env === env && each.name === name);

  it('price, disable and enable a workflow, in one environment or both, and list all of them', async () => {
    await json('operations', 'price', 'look', '12', '--env', 'test', '--reason', 'a test');
    const disabled = await json('operations', 'disable', 'look');
    expect(disabled.operations).toEqual([
      { env: 'live', name: 'look', credits_cost: 10, enabled: false, scheduled: [] },
      { env: 'test', name: 'look', credits_cost: 12, enabled: false, scheduled: [] },
    ]);
    await json('operations', 'enable', 'look', '--env', 'live');
    const listed = await json('operations', 'list');
    expect(listed.operations).toHaveLength(environments.length * workflows.length);
    expect(of(listed, 'live', 'look')).toMatchObject({
      enabled: true,
      credits_cost: 10,
      op_class: 'compose',
    });
    expect(of(listed, 'test', 'look')).toMatchObject({ enabled: false, credits_cost: 12 });
  });

  it('complain about names, prices and batches that have none of their own', async () => {
    for (const args of [
      ['operations', 'price', 'nonsense', '5'],
      ['operations', 'price', 'look', '0'],
      ['operations', 'price', 'look', '1.5'],
      ['operations', 'price', 'pdp-batch-extractions', '5'],
    ]) {
      expect((await complaint(args)).startsWith('atelier: ')).toBe(true);
    }
  });
});

describe('atelier tenants', () => {
  it('plan changes what is named, and nothing else', async () => {
    const changes = ['--rate-limit', '900', '--daily-cap', '50', '--env', 'live'];
    const changed = await json('tenants', 'plan', tenant, ...changes);
    expect(changed.accounts).toEqual([
      {
        env: 'live',
        plan: 'standard',
        daily_spend_cap_credits: 50,
        monthly_credit_quota: 0,
        rate_limit_per_min: 900,
      },
    ]);
    const { key } = await issue();
    expect((await api.get('/v1/credits', key as string)).body).toMatchObject({
      rate_limit_per_min: 900,
      daily_spend_cap_credits: 50,
      balance: 100,
    });
    const shown = await json('tenants', 'show', tenant);
    expect((shown.accounts as Json[]).map((account) => account.rate_limit_per_min)).toEqual([900, 1000]);
    expect(await complaint(['tenants', 'plan', tenant])).toContain('nothing to change');
  });
});
