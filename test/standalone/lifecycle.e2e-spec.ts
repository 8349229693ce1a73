import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readOperatorToken, readRuntime } from '#platform/home-files.js';
import { Atelier, runStandalone } from './support/atelier.js';
import { temporaryHome } from './support/home.js';
import { childrenOf, remaining } from './support/processes.js';
import { eventually } from '../support/eventually.js';
import { untilEnd } from '../support/until-end.js';

const home = untilEnd(temporaryHome());

describe('npm start', () => {
  let atelier: Atelier;
  let key: string;
  afterAll(() => atelier.stop('SIGKILL'));

  const balance = async (): Promise<unknown> => {
    const response = await atelier.get('/v1/credits', key);
    expect(response.status).toBe(200);
    return ((await response.json()) as { balance: number }).balance;
  };

  it('starts everything and shows a test key with credits', async () => {
    atelier = await Atelier.start(home.path);
    const { stdout, stderr } = atelier.output();
    expect(stdout).toContain(`API   ${atelier.baseUrl}\n`);
    expect(stdout).toContain(`Docs  ${atelier.baseUrl}/docs\n`);
    key = /\bsk_test_\w+/.exec(stdout)?.[0] ?? '';
    expect(stderr).toBe('');
    expect((await atelier.get('/health/live')).status).toBe(200);
    expect((await atelier.get('/health/ready')).status).toBe(200);
    expect(await balance()).toBe(1000);
  });

  it('keeps what is secret to its owner', () => {
    for (const name of ['runtime.json', 'secrets.json', 'postgres.password', 'demo-tenant.json']) {
      expect([name, (statSync(join(home.path, name)).mode & 0o777).toString(8)]).toEqual([name, '600']);
    }
  });

  it('refuses a second start on the same home in one line', async () => {
    const second = await runStandalone(home.path);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(
      /^atelier: .* is in use by another atelier \(process \d+\): stop that one, or set ATELIER_HOME .*\n$/,
    );
    expect((await atelier.get('/health/ready')).status).toBe(200);
  });

  it('stops on SIGTERM soon, with code 0, and leaves nothing running', async () => {
    const processes = atelier.all();
    const since = Date.now();
    const { code, stderr } = await atelier.stop('SIGTERM');
    expect(Date.now() - since).toBeLessThan(60_000);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await remaining(processes, 0)).toEqual([]);
    const left = readdirSync(home.path);
    expect(left).not.toContain('atelier.lock');
    expect(left).not.toContain('runtime.json');
  });

  it('goes on where it stopped, and does not show the key again', async () => {
    atelier = await Atelier.start(home.path);
    expect(atelier.output().stdout).not.toContain('sk_test_');
    expect(await balance()).toBe(1000);
  });

  it.each(['api', 'worker', 'projector'] as const)(
    'starts a killed %s again, at its old address',
    async (name) => {
      const before = atelier.role(name);
      process.kill(before.pid, 'SIGKILL');
      await remaining([before], 5_000);
      await eventually(async () => {
        expect(atelier.role(name).pid).not.toBe(before.pid);
        expect((await atelier.get('/health/ready')).status).toBe(200);
      });
      expect(await balance()).toBe(1000);
      expect(atelier.output().stderr).toContain(`the ${name} stopped (killed by SIGKILL)`);
    },
  );

  it('starts the operators’ API with the first who asks for it, and again when it was killed', async () => {
    const served = () => childrenOf(atelier.process.pid, 'capabilities/operate/server/main.js');
    const ask = async () => {
      const headers = { authorization: `Bearer ${readOperatorToken(home.path)}` };
      return (await fetch(`${readRuntime(home.path)?.adminUrl}/admin/v1/tenants`, { headers })).status;
    };
    expect(served()).toEqual([]);
    expect(await Promise.all([ask(), ask()])).toEqual([200, 200]);
    const [before] = served();
    process.kill(before!.pid, 'SIGKILL');
    await remaining([before!], 5_000);
    await eventually(async () => expect(await ask()).toBe(200));
  });

  it('starts a killed database again, and the roles find it', async () => {
    const before = atelier.postgres();
    process.kill(before.pid, 'SIGKILL');
    await eventually(async () => {
      expect(atelier.postgres().pid).not.toBe(before.pid);
      expect((await atelier.get('/health/ready')).status).toBe(200);
    });
    expect(await balance()).toBe(1000);
  });

  it('recovers from being killed: its roles end, the next start takes over', async () => {
    const roles = [atelier.role('api'), atelier.role('worker'), atelier.role('projector')];
    const database = atelier.postgres();
    await atelier.stop('SIGKILL');
    expect(await remaining(roles, 60_000)).toEqual([]);
    expect(existsSync(join(home.path, 'atelier.lock'))).toBe(true);

    atelier = await Atelier.start(home.path);
    expect(atelier.postgres()).toEqual(database);
    expect(await balance()).toBe(1000);
  });

  it('stops the projector after the worker, which may still append', async () => {
    const [worker, projector] = [atelier.role('worker'), atelier.role('projector')];
    const database = atelier.postgres();
    // It ends only when it is killed.
    process.kill(worker.pid, 'SIGSTOP');
    const stopped = atelier.stop('SIGINT');
    expect(await remaining([projector], 60_000)).toEqual([]);
    expect(await remaining([worker], 0)).toEqual([]);
    expect((await stopped).code).toBe(0);
    expect(await remaining([database], 0)).toEqual([]);
  });
});
