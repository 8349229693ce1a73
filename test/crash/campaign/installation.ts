import { newHomeCertificate } from '#capabilities/provenance/home-certificate.js';
import { testKeys, testMasterKey, testSigningKey } from '../../support/signing-key.js';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort, startEmbeddedPostgres, type EmbeddedPostgres } from '#platform/embedded-postgres.js';
import { sqlState } from '#platform/postgres.js';
import { identityOf } from '#platform/processes.js';
import { retry } from '#platform/retry.js';
import { renderDispatcher } from '#application/process-managers/process-managers.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { Peer } from '../../eventstoredb/peer/peer.js';
import { remaining } from '../../standalone/support/processes.js';
import { operate } from '../../support/command.js';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js';

export type StoreKind = 'postgres' | 'eventstoredb';

const apps = join(process.cwd(), 'dist', 'apps');

/** The number of log lines that are printed for a role that ended by itself. */
const lastLines = 12;

/** One process of a role. Like a supervisor, it starts the process again whenever it ends. */
class SupervisedRole {
  private child: ChildProcess | undefined;
  private wanted = true;
  private killed = false;
  /** How often it ended without being killed. */
  endedByItself = 0;

  constructor(
    readonly name: 'api' | 'projector' | 'worker',
    private readonly settings: NodeJS.ProcessEnv,
    private readonly logFile: string,
  ) {}

  /** Resolves when it is ready for the first time. */
  async start(): Promise<void> {
    this.wanted = true;
    const output = openSync(this.logFile, 'a');
    const begin = fstatSync(output).size;
    const child = fork(join(apps, this.name, 'src', 'main.js'), {
      env: { ...process.env, ...this.settings },
      stdio: ['ignore', output, output, 'ipc'],
    });
    closeSync(output);
    this.child = child;
    child.once('exit', (code, signal) => {
      if (this.wanted && !this.killed) this.tellEnd(code ?? signal, begin);
      this.killed = false;
      // This start needs no caller that handles its failure: a failed start ends the process, and the end leads
      // here again.
      if (this.wanted)
        void sleep(100)
          .then(() => (this.wanted ? this.start() : undefined))
          .catch(() => undefined);
    });
    await Promise.race([once(child, 'message'), once(child, 'exit')]);
  }

  private tellEnd(how: number | string | null, begin: number): void {
    this.endedByItself += 1;
    const lines = readFileSync(this.logFile).subarray(begin).toString().trimEnd().split('\n');
    console.log([`${this.name} ended by itself (${how}):`, ...lines.slice(-lastLines)].join('\n  '));
  }

  kill(): void {
    this.killed = this.child?.kill('SIGKILL') ?? false;
  }

  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    this.wanted = false;
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    await gone;
  }
}

/**
 * A small production: two APIs, two projectors and two workers as processes, and PostgreSQL with its default of
 * 100 connections behind a proxy. For EventStoreDB there is also the protocol peer behind another proxy.
 */
export class Installation implements AsyncDisposable {
  readonly roles: SupervisedRole[] = [];
  readonly apis: string[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), 'atelier-campaign-'));
  private database!: EmbeddedPostgres;
  private databaseProxy!: TcpProxy;
  private logProxy!: TcpProxy;
  private settings: Record<string, string> = {};

  private constructor(
    readonly store: StoreKind,
    private readonly peer: Peer | undefined,
  ) {}

  static async start(store: StoreKind): Promise<Installation> {
    const installation = new Installation(
      store,
      store === 'eventstoredb' ? await new Peer().start() : undefined,
    );
    await installation.prepare();
    return installation;
  }

  private async prepare(): Promise<void> {
    chmodSync(this.folder, 0o711);
    await this.startDatabase();
    this.databaseProxy = await startTcpProxy(() => this.database.port);
    this.logProxy = this.peer ? await startTcpProxy(this.peer.port) : this.databaseProxy;
    const certificate = newHomeCertificate();
    const url = new URL(this.database.url);
    url.port = String(this.databaseProxy.port);
    this.settings = {
      DATABASE_URL: url.href,
      EVENT_STORE_URL: this.peer ? `esdb://127.0.0.1:${this.logProxy.port}?tls=false` : url.href,
      ATELIER_HOME: join(this.folder, 'home'),
      URL_SIGNING_SECRET: 'a secret of this campaign',
      ATELIER_SIGNING_KEY: testSigningKey,
      ATELIER_MASTER_KEY: testMasterKey,
      ATELIER_PROVENANCE_CERT: certificate,
      ATELIER_PROVENANCE_KEY: certificate,
      ATELIER_ORPHAN_HORIZON_MS: '3000',
      ATELIER_SWEEP_INTERVAL_MS: '500',
      ATELIER_AUDIT_AT: 'off',
      ATELIER_WORKER_CONCURRENCY: '2',
      ATELIER_TENANT_CONCURRENCY: '8',
      LOG_LEVEL: 'warn',
      HOST: '127.0.0.1',
    };
    await this.command('migrate');
    for (const name of ['api', 'api', 'projector', 'projector', 'worker', 'worker'] as const) {
      const port = name === 'api' ? await freePort() : 0;
      if (name === 'api') this.apis.push(`http://127.0.0.1:${port}`);
      const log = join(this.folder, `${name}-${this.roles.length}.log`);
      this.roles.push(new SupervisedRole(name, { ...this.settings, PORT: String(port) }, log));
    }
    await Promise.all(this.roles.map((role) => role.start()));
  }

  private async startDatabase(): Promise<void> {
    this.database = await startEmbeddedPostgres({
      dataDirectory: join(this.folder, 'postgres'),
      logFile: join(this.folder, 'postgres.log'),
      ...(this.database && { preferredPort: this.database.port }),
    });
  }

  /** Runs the operators' command. It goes through the proxies, so it works only while they have no fault. */
  readonly command = async (...args: string[]): Promise<Record<string, unknown>> => {
    const { stdout } = await operate(this.settings, ...args, '--json');
    return stdout.startsWith('{') ? (JSON.parse(stdout) as Record<string, unknown>) : {};
  };

  of(name: SupervisedRole['name']): SupervisedRole[] {
    return this.roles.filter((role) => role.name === name);
  }

  /** Breaks every connection to the database, or to the log, and refuses new ones for a while. */
  async cut(what: 'database' | 'log', forMs: number): Promise<void> {
    const proxy = what === 'database' ? this.databaseProxy : this.logProxy;
    proxy.refuse();
    await sleep(forMs);
    proxy.restore();
  }

  /** Holds answers back, then drops them with their connections: the requests may have been carried out. */
  async loseAnswers(what: 'database' | 'log', forMs: number): Promise<void> {
    const proxy = what === 'database' ? this.databaseProxy : this.logProxy;
    proxy.holdAnswers();
    await sleep(forMs);
    proxy.cut();
    proxy.restore();
  }

  async restartDatabase(how: 'stop' | 'kill'): Promise<void> {
    if (how === 'stop') await this.database.stop();
    else {
      const postmaster = identityOf(this.database.pid);
      process.kill(postmaster.pid, 'SIGKILL');
      // A postmaster that has not yet ended would be mistaken for a running server.
      await remaining([postmaster], 10_000);
    }
    await this.startDatabase();
  }

  async restartLog(): Promise<void> {
    if (this.peer) await this.peer.restart();
    else await this.restartDatabase('stop');
  }

  /** Removes tasks that no worker has begun from the queue, while all workers are paused. */
  async deleteTasks(): Promise<void> {
    const workers = this.of('worker');
    for (const worker of workers) worker.pause();
    try {
      await this.query(`delete from pgboss.job where state in ('created', 'retry')`);
    } catch (error) {
      // The schema was dropped a moment ago.
      if (sqlState(error) !== '42P01') throw error;
    } finally {
      for (const worker of workers) worker.resume();
    }
  }

  /** Drops the queue while everything runs. A deadlock with a running statement may cost it a try. */
  async dropQueue(): Promise<void> {
    await retry(() => this.query('drop schema if exists pgboss cascade'), { firstPauseMs: 50, attempts: 20 });
  }

  /** Lets a process manager begin anew at the first event. */
  async loseCheckpoint(name: string): Promise<void> {
    await this.whileProjectorsAreKilled(() =>
      this.query('delete from test.process_checkpoints where process = $1', [name]),
    );
  }

  /** Moves the render dispatcher's checkpoint past the jobs of a while, which it has not seen. */
  async skipJobs(forMs: number): Promise<void> {
    await this.whileProjectorsAreKilled(async () => {
      await sleep(forMs);
      const { url: databaseUrl } = this.database;
      await using log = await openEventStore(
        { eventStoreUrl: this.peer?.url ?? databaseUrl, databaseUrl },
        { ...testKeys },
      );
      const last = await log.store.lastEvent();
      await this.query(
        `update test.process_checkpoints set position = $1, event_position = $1, event_id = $2 where process = $3`,
        [last?.position, last?.id, renderDispatcher],
      );
    });
  }

  /**
   * Makes checkpoints name events that no log has. The consumers halt, no job is dispatched, and the operator
   * resets the checkpoints.
   */
  async spoilCheckpoints(forMs: number): Promise<void> {
    await this.whileProjectorsAreKilled(() =>
      this.query('update test.process_checkpoints set event_id = gen_random_uuid()'),
    );
    await sleep(forMs);
    await Promise.all(this.roles.map((role) => role.stop()));
    // The session of a killed projector may still exist.
    await retry(() => this.command('checkpoints', 'reset'), { attempts: 10 });
    await Promise.all(this.roles.map((role) => role.start()));
  }

  private async whileProjectorsAreKilled(work: () => Promise<unknown>): Promise<void> {
    const projectors = this.of('projector');
    for (const projector of projectors) projector.pause();
    try {
      await work();
    } finally {
      for (const projector of projectors) projector.kill();
    }
  }

  /** Past the proxies. */
  private async query(text: string, values?: unknown[]): Promise<void> {
    const client = new pg.Client({ connectionString: this.database.url });
    try {
      await client.connect();
      await client.query(text, values);
    } finally {
      await client.end();
    }
  }

  endedByThemselves(): number {
    return this.roles.reduce((sum, role) => sum + role.endedByItself, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.roles.map((role) => role.stop()));
    await this.databaseProxy.close();
    if (this.peer) await this.logProxy.close();
    this.peer?.stop();
    await this.database.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
