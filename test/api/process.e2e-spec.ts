import { testMasterKey, testSigningKey } from '../support/signing-key.js';
import { afterEach, describe, expect, it } from 'vitest';
import { fork, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtempDisposable, readdir, readlink, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { isDeepStrictEqual as isEqual } from 'node:util';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { ApiService } from './support/api-service.js';
import { ApiClient } from './support/api-client.js';
import { untilEnd } from '../support/until-end.js';

const service = untilEnd(await ApiService.start());
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
});

function start(settings: Record<string, string> = {}): { child: ChildProcess; output: () => string } {
  const child = fork(join(import.meta.dirname, '../../dist/apps/api/src/main.js'), {
    env: {
      ...process.env,
      LOG_LEVEL: 'info',
      DATABASE_URL: service.databaseUrl,
      ATELIER_HOME: service.folder,
      URL_SIGNING_SECRET: 'a secret of tests',
      ATELIER_SIGNING_KEY: testSigningKey,
      ATELIER_MASTER_KEY: testMasterKey,
      PORT: '0',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (line) => (text += line));
  return { child, output: () => text };
}

async function ready(child: ChildProcess): Promise<number> {
  const [message] = (await once(child, 'message')) as [{ type: string; port: number }];
  expect(message.type).toBe('ready');
  return message.port;
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'exit');
  return child.exitCode;
}

describe('the API as a process', () => {
  it('says when it is ready and where, serves, and stops cleanly on SIGTERM', async () => {
    const { child, output } = start();
    const api = new ApiClient(`http://127.0.0.1:${await ready(child)}`);
    const { key } = await service.openTenant();
    const { body } = await api.post('/v1/model-generator', key, {});
    expect((await api.get(`/v1/jobs/${body.job_id}`, key)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exitOf(child)).toBe(0);
    expect(output()).not.toContain(key);
  });

  it('ends when its parent is gone', async () => {
    const { child } = start();
    await ready(child);
    child.disconnect();
    expect(await exitOf(child)).toBe(0);
  });

  it('leaves nothing of an upload when it is killed, and clears away what others have left', async () => {
    await using temporary = await mkdtempDisposable(join(tmpdir(), 'atelier-test-'));
    const left = join(temporary.path, 'atelier-upload-left');
    const underWay = join(temporary.path, 'atelier-upload-under-way');
    for (const folder of [left, underWay]) await mkdir(folder);
    await writeFile(join(left, 'upload'), 'with all that is noted in it');
    const longAgo = new Date(Date.now() - 16 * 60_000);
    await utimes(left, longAgo, longAgo);

    const { child } = start({ TMPDIR: temporary.path });
    const port = await ready(child);
    const isUnderWay = () =>
      readdir(temporary.path).then((names) => isEqual(names, ['atelier-upload-under-way']));
    await eventually(isUnderWay);

    const { key } = await service.openTenant();
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n';
    const head = `Host: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 100000`;
    const type = 'Content-Type: multipart/form-data; boundary=b';
    socket.write(`POST /v1/uploads HTTP/1.1\r\n${head}\r\n${type}\r\n\r\n${part}GPS 48.8566 2.3522`);
    await eventually(async () => {
      const open = await readdir(`/proc/${child.pid}/fd`);
      const files = await Promise.allSettled(open.map((fd) => readlink(`/proc/${child.pid}/fd/${fd}`)));
      const isOpen = files.some(
        (file) => file.status === 'fulfilled' && file.value.includes('atelier-upload-'),
      );
      // The file loses its name before anything is written to it.
      return isOpen && (await isUnderWay());
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    socket.destroy();
    expect(await isUnderWay()).toBe(true);
  });

  it('says in the log that its port is taken, and does not start', async () => {
    const first = start();
    const port = await ready(first.child);
    const second = start({ PORT: String(port) });
    expect(await exitOf(second.child)).toBe(1);
    expect(second.output()).toContain('EADDRINUSE');
  });

  it.each(['refuse', 'holdAnswers'] as const)(
    'waits for a database that is away (%s), says which setting and which host, and starts once it answers',
    async (fault) => {
      const away = new URL(service.databaseUrl);
      const proxy = await startTcpProxy(Number(away.port));
      away.port = String(proxy.port);
      proxy[fault]();
      const { child, output } = start({ DATABASE_URL: away.href });
      try {
        while (!output().includes('cannot be reached')) await sleep(20);
        expect(output()).toContain(`"setting":"DATABASE_URL","host":"127.0.0.1:${proxy.port}"`);
        expect(output()).not.toContain('"stack"');
        expect(output()).not.toContain(away.password);
        expect(child.exitCode).toBeNull();
        proxy.restore();
        expect(await ready(child)).toBeGreaterThan(0);
      } finally {
        await proxy.close();
      }
    },
  );

  it('says in one line what is wrong with LOG_LEVEL or a name that it does not know', async () => {
    const { child, output } = start({ LOG_LEVEL: 'verbose', ATELIER_SWEEP_INTERVALL_MS: '1' });
    expect(await exitOf(child)).toBe(1);
    const lines = output().trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /"LOG_LEVEL must be one of .*; ATELIER_SWEEP_INTERVALL_MS is not a setting: did you mean ATELIER_SWEEP_INTERVAL_MS\?"/,
    );
    expect(lines[0]).not.toContain('stack');
  });
});
