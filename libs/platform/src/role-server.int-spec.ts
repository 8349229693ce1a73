import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { openRoleServer, type RoleServer } from './role-server.js';

const silent = pino({ level: 'silent' });
const settings = { metrics: true, metricsPort: 0, host: '127.0.0.1' };

describe('the HTTP side of a role', () => {
  let server: RoleServer;
  const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method });
  beforeEach(async () => {
    server = await openRoleServer('worker', settings, silent);
  });
  afterEach(() => server.close());

  it('serves metrics as Prometheus reads them', async () => {
    const response = await get('/metrics');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await response.text()).toMatch(/^process_resident_memory_bytes\{role="worker"\} \d+$/m);
  });

  it('serves nothing else', async () => {
    expect((await get('/')).status).toBe(404);
    expect((await get('/metrics', 'POST')).status).toBe(404);
  });

  it('is alive at once and ready when the role is', async () => {
    expect((await get('/health/live')).status).toBe(200);
    const starting = await get('/health/ready');
    expect(starting.status).toBe(503);
    expect(await starting.json()).toEqual({ status: 'not ready', problems: ['it is starting'] });
    server.ready(() => Promise.resolve([]));
    const ready = await get('/health/ready');
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ status: 'ok' });
  });

  it('names what keeps the role from working, and stays alive', async () => {
    server.ready(() => Promise.resolve(['live projections stand still']));
    const answer = await get('/health/ready');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ problems: ['live projections stand still'] });
    expect((await get('/health/live')).status).toBe(200);
    server.ready(() => Promise.resolve([]));
    expect((await get('/health/ready')).status).toBe(200);
  });

  it('is not ready while that cannot be found out, or takes too long', async () => {
    server.ready(() => Promise.reject(new Error('postgres://user:password@host does not answer')));
    const failed = await get('/health/ready');
    expect(failed.status).toBe(503);
    expect(await failed.text()).not.toContain('password');
    server.ready(() => new Promise(() => undefined));
    expect((await get('/health/ready')).status).toBe(503);
  });

  it('has health without metrics, where those are switched off', async () => {
    const unmeasured = await openRoleServer('worker', { ...settings, metrics: false }, silent);
    const at = (path: string) => fetch(`http://127.0.0.1:${unmeasured.port}${path}`);
    expect(unmeasured.metrics).toBeUndefined();
    expect((await at('/metrics')).status).toBe(404);
    expect((await at('/health/live')).status).toBe(200);
    await unmeasured.close();
  });

  it('does without a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const without = await openRoleServer('worker', { ...settings, metricsPort: port }, silent);
    expect(without).toMatchObject({ metrics: undefined, port: undefined });
    await without.close();
    taken.close();
  });
});
