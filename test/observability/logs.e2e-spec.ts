import { afterAll, describe, expect, it } from 'vitest';
import { startRole } from '../support/role-process.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { eventually } from '../support/eventually.js';
import { openWorld } from '../api/support/world.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';

const { service, tenant } = await openWorld({ projector: false });
const database = new URL(service.databaseUrl);
const proxy = await startTcpProxy(Number(database.port));
database.port = String(proxy.port);
/** An API in a process of its own. The spec reads its log lines and can take its database away. */
const role = await startRole('apps/api/src/main.js', {
  ...service.roleSettings,
  LOG_LEVEL: 'warn',
  DATABASE_URL: database.href,
  EVENT_STORE_URL: database.href,
});
afterAll(async () => {
  await role.stop('SIGKILL');
  await proxy.close();
});
const url = `http://127.0.0.1:${String(role.ready['port'])}`;
const lines = () =>
  role
    .logged()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('the log of the API', () => {
  it('names the request and its trace in the line of an answer that failed', async () => {
    const headers = {
      authorization: `Bearer ${tenant.key}`,
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    };
    expect((await fetch(`${url}/v1/credits`, { headers })).status).toBe(200);
    proxy.refuse();
    // Reads go on without the event store, and dispatches do not.
    const dispatch = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{}',
    };
    const answer = await fetch(`${url}/v1/model-generator`, dispatch);
    expect(answer.status).toBe(503);
    const requestId = answer.headers.get('x-request-id');
    const found = () => lines().find((line) => line['msg'] === 'answered 503');
    await eventually(() => found() !== undefined);
    expect(found()).toMatchObject({
      requestId,
      traceId,
      spanId: 'b7ad6b7169203331',
      route: '/v1/model-generator',
    });
    expect(role.logged()).not.toContain(tenant.key);
    // Background work belongs to no request.
    const background = lines().filter((line) => /checkpoint watcher/.test(String(line['msg'])));
    expect(background.length).toBeGreaterThan(0);
    for (const line of background) expect(line).not.toHaveProperty('requestId');
  });
});
