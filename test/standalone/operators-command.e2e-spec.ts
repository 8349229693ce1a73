import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Atelier, type Finished } from './support/atelier.js';
import { runCommand } from '../support/command.js';
import { eventually } from '../support/eventually.js';
import { temporaryHome } from './support/home.js';
import { untilEnd } from '../support/until-end.js';

const ulid = /^[0-9A-HJKMNP-TV-Z]{26}$/;

const home = untilEnd(temporaryHome());
const atelier = await Atelier.start(home.path);
afterAll(() => atelier.stop());
const atelierCommand = (...args: string[]): Promise<Finished> => runCommand(args, home.path);

describe("the operator's command", () => {
  let tenant: string;
  beforeAll(async () => {
    const opening = ['--name', 'Maison Test', '--credits', '40', '--plan', 'house'];
    tenant = (await json('tenants', 'create', ...opening))['tenant_id'] as string;
  });

  async function json(...args: string[]): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await atelierCommand(...args, '--json');
    expect({ args, code }).toEqual({ args, code: 0 });
    // On a busy machine it says what it waits for.
    expect(stderr).toMatch(/^(?:atelier: done; waiting for the read model [^\n]+\n)?$/);
    return JSON.parse(stdout) as Record<string, unknown>;
  }
  const issueKey = (env: string, capabilities: string) =>
    json('keys', 'issue', '--tenant', tenant, '--env', env, '--capabilities', capabilities);
  const credits = async (key: unknown) => {
    const response = await atelier.get('/v1/credits', String(key));
    return { status: response.status, ...((await response.json()) as object) };
  };

  it('opens a tenant in both environments, each with its own balance', async () => {
    const shown = await json('tenants', 'show', tenant);
    expect(shown).toMatchObject({
      tenant_id: tenant,
      name: 'Maison Test',
      plan: 'house',
      balances: { live: 40, test: 40 },
    });
    expect(tenant).toMatch(ulid);
    const one = await json('tenants', 'create', '--name', 'Only live', '--credits', '0', '--env', 'live');
    expect(one['balances']).toEqual({ live: 0 });
  });

  it('publishes presets of its own, lists them with those of the release, and retires them', async () => {
    const file = join(home.path, 'preset.json');
    const image = join(process.cwd(), 'assets', 'samples', 'jumper.jpg');
    writeFileSync(file, JSON.stringify({ kind: 'shot', label: 'Ours', spec: { framing: 'close' }, image }));
    const { presets } = (await json('presets', 'publish', file, '--env', 'test')) as {
      presets: { id: string }[];
    };
    expect(presets).toMatchObject([{ env: 'test', published: 1, unchanged: 0 }]);
    const id = presets[0]!.id;
    const listed = async () =>
      ((await json('presets', 'list', '--env', 'test'))['presets'] as { id: string; status: string }[]).map(
        (preset) => [preset.id, preset.status],
      );
    expect(await listed()).toContainEqual([id, 'published']);
    expect((await listed()).length).toBeGreaterThan(22);
    const again = await json('presets', 'publish', '--all');
    expect(again['presets']).toMatchObject([{ published: 0 }, { published: 0 }]);
    expect(await json('presets', 'retire', id)).toEqual({ id, retired: ['test'] });
    expect(await listed()).toContainEqual([id, 'retired']);
    const { code, stderr } = await atelierCommand('presets', 'retire', '01JWZ0000000000000000000B1');
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no preset'),
    });
  });

  it('lists and revokes keys', async () => {
    const { key, key_id: keyId } = await issueKey('test', 'jobs:read');
    const listed = await json('keys', 'list', '--tenant', tenant, '--env', 'test');
    expect(listed['keys']).toEqual([
      expect.objectContaining({ key_id: keyId, status: 'active', revoked_at: null }),
    ]);
    expect(JSON.stringify(listed)).not.toContain(String(key));

    expect(await json('keys', 'revoke', String(keyId))).toMatchObject({ key_id: keyId, status: 'revoked' });
    const after = await json('keys', 'list', '--tenant', tenant, '--env', 'test');
    expect(after['keys']).toEqual([expect.objectContaining({ key_id: keyId, status: 'revoked' })]);
    // The API learns of it from the log.
    await eventually(async () => expect((await credits(key)).status).toBe(401));
  });

  it('waits until the read models have seen what it wrote', async () => {
    const { pid } = atelier.role('projector');
    process.kill(pid, 'SIGSTOP');
    const until = Date.now() + 1_500;
    setTimeout(() => process.kill(pid, 'SIGCONT'), 1_500);
    const issued = await issueKey('test', 'jobs:read');
    expect(Date.now()).toBeGreaterThanOrEqual(until);
    const listed = await json('keys', 'list', '--tenant', tenant, '--env', 'test');
    expect(listed['keys']).toContainEqual(expect.objectContaining({ key_id: issued['key_id'] }));
  });

  it('follows the log as it grows', async () => {
    const program = join('dist', 'capabilities', 'operate', 'main.js');
    const command = [program, 'events', 'tail', '--json', '--env', 'test', '--prefix', 'account-'];
    const tail = spawn(process.execPath, [...command, '--type', 'CreditsPurchased'], {
      env: { PATH: process.env['PATH'], ATELIER_HOME: home.path },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line = once(createInterface(tail.stdout), 'line') as Promise<[string]>;
    const grants = setInterval(() => void atelierCommand(...grant), 1_000);
    const account = ['--tenant', tenant, '--env', 'test'];
    const purchase = ['--amount', '1', '--kind', 'pack', '--label', 'tail'];
    const grant = ['credits', 'grant', ...account, ...purchase];
    const [first] = await line;
    clearInterval(grants);
    expect(JSON.parse(first)).toMatchObject({ stream: `test.account-${tenant}`, type: 'CreditsPurchased' });
    const ended = once(tail, 'exit');
    tail.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  it('finds a running service well', async () => {
    const { ok, projections, checks } = await json('doctor');
    expect({ ok, checks }).toEqual({ ok: true, checks: expect.anything() });
    expect((projections as object[]).length).toBeGreaterThan(10);
  });

  it('has a form for people', async () => {
    const { stdout } = await atelierCommand('tenants', 'show', tenant);
    expect(stdout).toContain('Maison Test');
    expect(stdout).not.toContain('{');
  });

  const unknown = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  it.each([
    [['tenants', 'show', unknown], /there is no tenant/],
    [
      ['keys', 'issue', '--tenant', unknown, '--env', 'test', '--capabilities', 'jobs:read'],
      /there is no tenant/,
    ],
    [
      ['keys', 'issue', '--tenant', unknown, '--env', 'test', '--capabilities', 'toString'],
      /"toString" is unknown/,
    ],
    [['keys', 'list', '--tenant', unknown], /there is no tenant/],
    [['keys', 'revoke', unknown], /there is no key/],
    [['tenants', 'create', '--name', '', '--credits', '1'], /1 to 128 characters/],
    [['tenants', 'create', '--name', 'x'.repeat(129), '--credits', '1'], /1 to 128 characters/],
    [['tenants', 'create', '--name', 'x', '--credits', '-1'], /whole number/],
    [['tenants', 'create', '--name', 'x', '--credits', '1.5'], /whole number/],
    [['events', 'show', 'nonsense'], /is not the name of a stream/],
    [['events', 'show', `test.job-${unknown}`], /there is no stream/],
    [['replay', `test.usage-${unknown}`], /has no state/],
    [['replay', `test.job-${unknown}`, '--at', 'yesterday'], /--at must be a revision or a time/],
  ])('refuses %j in one line and with a code that says so', async (args, says) => {
    const { code, stdout, stderr } = await atelierCommand(...args);
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/^atelier: [^\n]+\n$/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it('says so when nothing runs', async () => {
    await using nowhere = temporaryHome();
    const { code, stderr } = await runCommand(['doctor'], nowhere.path);
    expect(stderr).toMatch(/^atelier: no service runs on .*: run "npm start" there first.*\n$/);
    expect(code).toBe(1);
  });
});
