import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, startEmbeddedPostgres } from '#platform/embedded-postgres.js';
import { uploadBlank } from '../../support/blank-picture.js';
import { npmRun } from '../../support/npm-run.js';
import { startRole, type RoleProcess } from '../../support/role-process.js';
import { clientsThatFail } from './clients.js';

/**
 * Fails unless every request is answered well, every job ends, and this release's audit holds in the end. After
 * either move the other release's audit may find only its own limits, and the clients of both releases get a picture.
 */
const [commit] = npmRun(
  'test:upgrade',
  'Upgrades from the release at a commit to this one, back, and to this one again, role by role, under load (docs/upgrading.md).',
)
  .argument('<commit>', 'of the release before: a tag, or a commit')
  .parse().args as [string];

const run = promisify(execFile);
const eachMs = 100;
const betweenStepsMs = 4_000;
const endWithinMs = 180_000;
const home = await mkdtemp(join(tmpdir(), 'atelier-upgrade-'));

interface Release {
  readonly name: string;
  /** Its folder, with its modules. */
  readonly root: string;
}

/** A checkout and modules of its own: nothing is shared with this release. */
async function previousRelease(of: string): Promise<Release> {
  const folder = join(home, 'previous');
  await run('git', ['worktree', 'add', '--detach', folder, of]);
  const options = { cwd: folder, maxBuffer: 64 * 2 ** 20 };
  await run('npm', ['ci', '--no-audit', '--no-fund'], options);
  await run('npm', ['run', '--silent', 'build'], options);
  return { name: `before (${of})`, root: folder };
}

const server = await startEmbeddedPostgres({
  dataDirectory: join(home, 'postgres'),
  logFile: join(home, 'postgres.log'),
});
const settings = {
  DATABASE_URL: server.url,
  URL_SIGNING_SECRET: 'a secret of this test',
  ATELIER_SIGNING_KEY: 'a signing key of this test, long enough',
  ATELIER_MASTER_KEY: 'a master key of this test, long enough',
  ATELIER_UNSIGNED_PICTURES: 'accept',
  ATELIER_HOME: join(home, 'home'),
  ATELIER_ORPHAN_HORIZON_MS: '5000',
};

interface Finding {
  readonly check: string;
  readonly message: string;
}

/**
 * Findings that the earlier release's audit may report about rows that this release keeps as well; that audit
 * cannot be changed any more.
 */
const limitsOf: readonly ((finding: Finding) => boolean)[] = [
  // It is right: this release has folded the rows last, with categories or columns that it does not know.
  ({ message }) => message.startsWith('another release has folded since then'),
  // The audit of 0.2.0 allows tables that it does not know, and not their keys.
  ({ message }) =>
    /^constraint (read_store\.alert|(live|test)\.bucket_pushes)[\w.]* was not made by this release$/.test(
      message,
    ),
];

/** The findings outside the release's own limits. */
async function auditBy(release: Release, limits: typeof limitsOf): Promise<string[]> {
  // A failed audit exits with an error, after it has printed its findings.
  const audit = (await atelier(release, 'ledger', 'audit').catch(
    (error: unknown) => JSON.parse((error as { stdout?: string }).stdout ?? '{}') as object,
  )) as { findings?: readonly Finding[] };
  if (!audit.findings) return [`the audit of the release ${release.name} came to no end`];
  const [told, limited] = [audit.findings.filter((each) => !limits.some((is) => is(each))), audit.findings];
  console.log(
    `audit of the release ${release.name}: ${told.length} findings, ${limited.length - told.length} of its own limits`,
  );
  return told.map((each) => `the audit of the release ${release.name} finds ${JSON.stringify(each)}`);
}

async function atelier({ root }: Release, ...args: string[]): Promise<Record<string, unknown>> {
  const main = join(root, 'dist', 'capabilities', 'operate', 'main.js');
  const env = { ...process.env, ...settings };
  const { stdout } = await run(process.execPath, [main, ...args, '--json'], { env, maxBuffer: 64 * 2 ** 20 });
  return stdout.startsWith('{') ? (JSON.parse(stdout) as Record<string, unknown>) : {};
}

/** The knowledge of a load balancer: the APIs that get requests, and the results of the requests. */
class Load {
  readonly targets: string[] = [];
  readonly failures: string[] = [];
  readonly jobs: string[] = [];
  requests = 0;
  slowestMs = 0;
  /** False: it only reads. A slow worker would otherwise have a longer and longer queue. */
  orders = true;
  private readonly ended = new AbortController();
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(private readonly key: string) {}

  /** @param blank a picture on which jobs fail at once, with a refund: this test is not about the engine */
  start(blank: string): void {
    const next = async () => {
      for (let turn = 0; !this.ended.signal.aborted; turn++, await sleep(eachMs)) {
        const request = this.one(turn, blank).finally(() => this.underWay.delete(request));
        this.underWay.add(request);
      }
    };
    void next();
  }

  async stop(): Promise<void> {
    this.ended.abort();
    await Promise.all(this.underWay);
  }

  private async one(turn: number, blank: string): Promise<void> {
    const known = this.jobs[turn % Math.max(this.jobs.length, 1)];
    if (turn % 3 === 0 && this.orders) {
      const body = { product_image_s3_key: blank };
      const answer = await this.ask('POST', '/v1/product-to-model-direct', 202, body);
      if (answer) this.jobs.push(String(answer['job_id']));
    } else if (turn % 3 === 1 && known) await this.ask('GET', `/v1/jobs/${known}`, 200);
    else await this.ask('GET', '/v1/jobs?limit=20', 200);
  }

  async ask(
    method: string,
    path: string,
    wanted: number,
    body?: object,
  ): Promise<Record<string, unknown> | undefined> {
    const target = this.targets[this.requests++ % this.targets.length];
    const startedAt = performance.now();
    try {
      const answer = await fetch(`${target}${path}`, {
        method,
        headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (answer.status === wanted) return JSON.parse(text) as Record<string, unknown>;
      this.failures.push(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    } catch (error) {
      this.failures.push(`${method} ${path}: ${String(error)}`);
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
    }
    return undefined;
  }
}

type Role = 'api' | 'projector' | 'worker';

async function start({ root }: Release, role: Role, port = 0): Promise<RoleProcess> {
  return startRole(`apps/${role}/src/main.js`, { ...settings, PORT: String(port) }, join(root, 'dist'));
}

async function startApi(release: Release, load: Load): Promise<{ url: string; api: RoleProcess }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const api = await start(release, 'api', port);
  const isReady = () =>
    fetch(`${url}/health/ready`).then(
      (answer) => answer.ok,
      () => false,
    );
  while (!(await isReady())) await sleep(100);
  load.targets.push(url);
  return { url, api };
}

interface Running {
  apis: { url: string; api: RoleProcess }[];
  projector: RoleProcess;
  worker: RoleProcess;
}

/** Moves the roles in the order of docs/upgrading.md. */
async function move(running: Running, to: Release, load: Load): Promise<void> {
  for (const role of ['projector', 'worker'] as const) {
    const next = await start(to, role);
    await running[role].stop();
    running[role] = next;
    await sleep(betweenStepsMs);
  }
  for (const [index, { url, api }] of running.apis.entries()) {
    const next = await startApi(to, load);
    load.targets.splice(load.targets.indexOf(url), 1);
    await sleep(500);
    await api.stop();
    running.apis[index] = next;
  }
  await sleep(betweenStepsMs);
  console.log(
    `all roles are of the release ${to.name}: ${load.requests} requests, ${load.failures.length} failed`,
  );
}

async function allEnded(load: Load): Promise<number> {
  const left = new Set(load.jobs);
  // While jobs still end, a busy machine is only slow.
  for (let end = Date.now() + endWithinMs; left.size > 0 && Date.now() < end; await sleep(200))
    for (const job of left) {
      const detail = await load.ask('GET', `/v1/jobs/${job}`, 200);
      if (!['SUCCESS', 'FAILURE'].includes(String(detail?.['status']))) continue;
      left.delete(job);
      end = Date.now() + endWithinMs;
    }
  return left.size;
}

try {
  const now: Release = { name: 'now', root: process.cwd() };
  const before = await previousRelease(commit);
  await atelier(before, 'migrate');
  const terms = ['--credits', '1000000', '--daily-cap', '0', '--rate-limit', '1000000'];
  const { tenant_id: tenant } = await atelier(
    before,
    'tenants',
    'create',
    '--name',
    'Upgrade',
    '--env',
    'test',
    ...terms,
  );
  const issue = ['keys', 'issue', '--tenant', String(tenant), '--env', 'test'];
  const { key } = await atelier(before, ...issue, '--capabilities', 'jobs:create,jobs:read');
  const load = new Load(String(key));
  const running: Running = {
    projector: await start(before, 'projector'),
    worker: await start(before, 'worker'),
    apis: [await startApi(before, load), await startApi(before, load)],
  };
  const { upload_key: blank } = await uploadBlank(load.targets[0] ?? '', String(key));
  load.start(blank);
  await sleep(betweenStepsMs);
  await atelier(now, 'migrate');
  const tryClients = async () => {
    load.orders = false;
    const service = { url: load.targets[0] ?? '', key: String(key) };
    load.failures.push(...(await clientsThatFail([before, now], service)));
    load.orders = true;
  };
  await move(running, now, load);
  await tryClients();
  await move(running, before, load);
  await tryClients();
  load.failures.push(...(await auditBy(before, limitsOf)));
  await move(running, now, load);
  await load.stop();
  const stranded = await allEnded(load);
  load.failures.push(...(await auditBy(now, [])), ...(await auditBy(before, limitsOf)));
  await Promise.all(
    [...running.apis.map(({ api }) => api), running.projector, running.worker].map((role) => role.stop()),
  );
  for (const failure of load.failures.slice(0, 20)) console.error(failure);
  const { requests, jobs, failures, slowestMs } = load;
  console.log(
    JSON.stringify({
      requests,
      jobs: jobs.length,
      failed: failures.length,
      stranded,
      slowestMs: Math.round(slowestMs),
    }),
  );
  process.exitCode = failures.length + stranded === 0 ? 0 : 1;
} finally {
  await server.stop();
  await run('git', ['worktree', 'remove', '--force', join(home, 'previous')]).catch(() => undefined);
  await rm(home, { recursive: true, force: true });
}
