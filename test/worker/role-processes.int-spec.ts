import { testMasterKey, testSigningKey } from '../support/signing-key.js';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DispatchIds } from '#application/dispatch/idempotency.js';
import { Workshop } from './support/workshop.js';
import { eventually } from '../support/eventually.js';
import { untilEnd } from '../support/until-end.js';

/** Runs the roles as processes of production, with the sketch engine and the folder storage. */
const workshop = untilEnd(await Workshop.open());
const children = new Set<ChildProcess>();

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

function forkRole(role: 'worker' | 'projector', settings: Record<string, string> = {}): ChildProcess {
  const child = fork(join(process.cwd(), `dist/apps/${role}/src/main.js`), {
    env: {
      ...process.env,
      ATELIER_HOME: workshop.folder,
      DATABASE_URL: workshop.databaseUrl,
      URL_SIGNING_SECRET: 'a-secret-for-tests-only',
      ATELIER_SIGNING_KEY: testSigningKey,
      ATELIER_MASTER_KEY: testMasterKey,
      ATELIER_UNSIGNED_PICTURES: 'accept',
      LOG_LEVEL: 'silent',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: [],
  });
  // A full, unread pipe would stop the process at some time.
  child.stdout?.resume();
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

async function startRole(role: 'worker' | 'projector'): Promise<ChildProcess> {
  const child = forkRole(role);
  const died = once(child, 'exit').then(([code]) => [{ type: `ended with code ${String(code)}` }]);
  const [message] = (await Promise.race([once(child, 'message'), died])) as [{ type: string }];
  expect(message.type).toBe('ready');
  return child;
}

async function end(child: ChildProcess, how: () => void): Promise<number | null> {
  const exited = once(child, 'exit') as Promise<[number | null]>;
  how();
  return (await exited)[0];
}

/** Threads that end while their files are read are left out. */
async function threadsOf(pid: number): Promise<{ name: string; priority: number }[]> {
  const folder = `/proc/${pid}/task`;
  const looks = (await readdir(folder)).map(async (thread) => ({
    name: (await readFile(join(folder, thread, 'comm'), 'utf8')).trim(),
    priority: getPriority(Number(thread)),
  }));
  return (await Promise.allSettled(looks)).flatMap((look) =>
    look.status === 'fulfilled' ? [look.value] : [],
  );
}

describe('the worker and the projector as processes', () => {
  let worker: ChildProcess;
  let projector: ChildProcess;
  beforeAll(async () => {
    [worker, projector] = await Promise.all([startRole('worker'), startRole('projector')]);
  });
  const both = (how: NodeJS.Signals) =>
    Promise.all([worker, projector].map((child) => end(child, () => child.kill(how))));

  it('end every job once although both are killed in the middle', async () => {
    const tenant = await workshop.tenantWith(100);
    const jobs: DispatchIds[] = [];
    const body = { gender: 'FEMALE', seed: 3 };
    for (let count = 0; count < 5; count++) jobs.push(await workshop.dispatch(tenant, body));
    await eventually(async () => (await workshop.find('job', jobs[1]!.jobId, 'RenderStarted')).length > 0);
    await both('SIGKILL');
    [worker, projector] = await Promise.all([startRole('worker'), startRole('projector')]);
    for (const ids of jobs) await workshop.ended(tenant, ids);
    for (const { jobId } of jobs) {
      expect(await workshop.find('job', jobId, 'JobFailed')).toEqual([]);
      const types = await workshop.types('job', jobId);
      expect(types.filter((type) => /^Job(?:Succeeded|Failed)$/.test(type))).toEqual(['JobSucceeded']);
    }
    expect(await workshop.find('account', tenant, 'CreditsDebited')).toHaveLength(5);
    expect(await workshop.find('account', tenant, 'CreditsSettled')).toHaveLength(5);
    expect(await workshop.balance(tenant)).toBe(75);
  });

  it('go on when all their connections were cut', async () => {
    const tenant = await workshop.tenantWith(100);
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
    for (let times = 0; times < 3; times++) {
      await workshop.query(cut);
      await sleep(300);
    }
    const ids = await workshop.dispatch(tenant, { gender: 'MALE', seed: 4 });
    await workshop.ended(tenant, ids);
    expect(await workshop.types('job', ids.jobId)).toContain('JobSucceeded');
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('draw pictures in threads that let the rest of the machine go first', async () => {
    const tenant = await workshop.tenantWith(100);
    const ids = await workshop.dispatch(tenant, { gender: 'MALE', seed: 5 });
    await workshop.ended(tenant, ids);
    const threads = await threadsOf(worker.pid!);
    const first = constants.priority.PRIORITY_BELOW_NORMAL;
    expect(threads.map(({ name }) => name)).toContain('libuv-worker');
    expect(threads.filter(({ priority }) => priority < first)).toEqual([]);
  });

  it('stop cleanly when asked', async () => {
    expect(await both('SIGTERM')).toEqual([0, 0]);
  });

  it('wait for a database that is not there yet, and stop while they wait', async () => {
    const away = { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/nowhere', LOG_LEVEL: 'error' };
    const child = forkRole('projector', away);
    let ready = false;
    child.once('message', () => (ready = true));
    // It reports the unreachable server at each try.
    for (let complaints = 0; complaints < 2; complaints++) await once(child.stdout!, 'data');
    expect(ready).toBe(false);
    expect(child.exitCode).toBeNull();
    expect(await end(child, () => child.kill('SIGTERM'))).toBe(0);
  });
});
