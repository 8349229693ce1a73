import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Atelier } from './support/atelier.js';
import { runCommand } from '../support/command.js';
import { temporaryHome } from './support/home.js';
import { untilEnd } from '../support/until-end.js';

const home = untilEnd(temporaryHome());

describe('metrics of a service that runs', () => {
  let atelier: Atelier;
  afterEach(() => atelier.stop());

  it('are served by each role, without a key, without a name of anybody, and not to callers', async () => {
    atelier = await Atelier.start(home.path, { METRICS_PORT: '0' });
    const json = async (...args: string[]) =>
      JSON.parse((await runCommand([...args, '--json'], home.path)).stdout) as Record<string, string>;
    const opening = ['--name', 'Measured', '--credits', '50'];
    const { tenant_id: tenant = '' } = await json('tenants', 'create', ...opening);
    const issue = ['keys', 'issue', '--tenant', tenant, '--env', 'test'];
    const { key } = await json(...issue, '--capabilities', 'jobs:create');
    const dispatched = await fetch(`${atelier.baseUrl}/v1/model-generator`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"seed":7}',
    });
    expect(dispatched.status).toBe(202);

    expect((await atelier.get('/metrics')).status).toBe(404);
    const scraped = await fetch(`http://127.0.0.1:${servedBy('api')}/metrics`);
    expect(scraped.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const api = await scraped.text();
    // The charge and the job that it pays for, together.
    expect(appends(api)).toBe(1);
    const worker = await (await fetch(`http://127.0.0.1:${servedBy('worker')}/metrics`)).text();
    const projector = await (await fetch(`http://127.0.0.1:${servedBy('projector')}/metrics`)).text();
    expect(worker).toContain('role="worker"');
    expect(projector).toContain('role="projector"');
    for (const text of [api, worker, projector])
      expect(text).not.toMatch(new RegExp(`${tenant}|postgres://`));
    expect(await (await atelier.get('/openapi.json')).text()).not.toContain('/metrics');
  });

  it('are on the port that callers reach where they are asked for', async () => {
    atelier = await Atelier.start(home.path, { METRICS: 'true' });
    expect(await (await atelier.get('/metrics')).text()).toContain('role="api"');
  });

  it('can be switched off', async () => {
    atelier = await Atelier.start(home.path, { METRICS: 'false', METRICS_PORT: '0' });
    expect((await atelier.get('/metrics')).status).toBe(404);
    const { stdout } = await runCommand(['doctor', '--json'], home.path);
    expect(stdout).toContain('"checks"');
  });

  function appends(text: string): number {
    const line = /^atelier_event_store_append_duration_seconds_count\{role="api",result="appended"\} (\d+)$/m;
    return Number(line.exec(text)?.[1]);
  }

  /** The settings have port 0, so the log names the port. */
  function servedBy(role: string): number {
    const log = readFileSync(join(home.path, 'logs', `${role}.log`), 'utf8')
      .trim()
      .split('\n');
    const entries = log.map((line) => JSON.parse(line) as { msg?: string; port?: number });
    const port = entries.find(({ msg }) => msg === 'metrics are served')?.port;
    if (port === undefined) throw new Error(`the ${role} serves no metrics`);
    return port;
  }
});
