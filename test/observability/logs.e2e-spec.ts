import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiService } from '../api/support/api-service.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { eventually } from '../support/eventually.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';

/** An API in a process of its own. The spec reads its log lines and can take its database away. */
describe('the log of the API', () => {
  let service: ApiService;
  let proxy: TcpProxy;
  let child: ChildProcess;
  let url: string;
  const lines: Record<string, unknown>[] = [];

  beforeAll(async () => {
    service = await ApiService.start({ projector: false });
    const database = new URL(service.databaseUrl);
    proxy = await startTcpProxy(Number(database.port));
    database.port = String(proxy.port);
    child = fork(join(process.cwd(), 'dist/apps/api/src/main.js'), {
      env: {
        ...process.env,
        ...service.roleSettings,
        LOG_LEVEL: 'warn',
        DATABASE_URL: database.href,
        EVENT_STORE_URL: database.href,
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    createInterface({ input: child.stdout! }).on('line', (line) => {
      lines.push(JSON.parse(line) as Record<string, unknown>);
    });
    const [ready] = (await once(child, 'message')) as [{ port: number }];
    url = `http://127.0.0.1:${ready.port}`;
  });
  afterAll(async () => {
    proxy?.restore();
    if (child?.exitCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
    await service?.[Symbol.asyncDispose]();
    await proxy?.close();
  });

  it('names the request and its trace in the line of an answer that failed', async () => {
    const tenant = await service.openTenant();
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
    const found = () => lines.find((line) => line['msg'] === 'answered 503');
    await eventually(() => found() !== undefined);
    expect(found()).toMatchObject({
      requestId,
      traceId,
      spanId: 'b7ad6b7169203331',
      route: '/v1/model-generator',
    });
    expect(JSON.stringify(lines)).not.toContain(tenant.key);
    // Background work belongs to no request.
    const background = lines.filter((line) => /checkpoint watcher/.test(String(line['msg'])));
    expect(background.length).toBeGreaterThan(0);
    for (const line of background) expect(line).not.toHaveProperty('requestId');
  });
});
