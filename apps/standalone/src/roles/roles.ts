import { once } from 'node:events';
import { fork, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '#platform/errors.js';
import { packagePath } from '#platform/package-folder.js';
import { retryUntilAborted } from '#platform/retry.js';
import { awaitsSettings } from '#platform/run-role.js';
import { answerLinkQuestion, type LinkAnswer } from '#platform/sign-in-link.js';
import { StartError } from '../console.js';
import { ErrorSummary, RoleLog } from './role-log.js';

type RoleName = 'api' | 'worker' | 'projector' | 'admin';

interface RolesOptions {
  readonly logs: string;
  /** The variables that are known from the beginning. */
  readonly variables: NodeJS.ProcessEnv;
  /** The whole environment, read at each start, because the database's URL may have changed. */
  readonly environment: () => NodeJS.ProcessEnv;
  /** Answers the API, which asks about a link that a browser has shown to it. */
  readonly takeLink: (token: string) => Promise<LinkAnswer>;
  readonly warn: (line: string) => void;
}

/** Renders that still run after this time at a stop go back to the queue for the next start. */
const renderGraceMs = 2_500;

/**
 * Each role gets this long to end, so that the whole stop stays within 15 seconds. To give a render back takes
 * less time.
 */
const graceMs = 5_000;

/**
 * The processes of the service. Renders and operators' requests have their own processes, so that they cannot
 * stall the API.
 */
export class Roles {
  private readonly logs: RoleLog[] = [];
  private readonly processes: Record<Exclude<RoleName, 'admin'>, RoleProcess>;
  private admin: RoleProcess | undefined;
  private door: Server | undefined;
  private readonly summaries: ErrorSummary[] = [];

  constructor(private readonly options: RolesOptions) {
    this.processes = {
      api: this.process('api'),
      worker: this.process('worker'),
      projector: this.process('projector'),
    };
  }

  /**
   * Lets all of them load their code, which takes longer than anything else. They then wait for {@link start}.
   */
  load(): void {
    for (const process of Object.values(this.processes)) process.load();
  }

  /** Resolves when all roles are ready. @throws StartError with the message of a role that failed */
  async start(): Promise<void> {
    const starts = Object.entries(this.processes).map(([name, process]) =>
      process.start().catch((error: unknown) => {
        throw new StartError(
          `the ${name} did not start: ${messageOf(error)} (log: ${join(this.options.logs, name)}.log)`,
        );
      }),
    );
    await Promise.all(starts);
  }

  /**
   * From now on listens on the port of the operators' API. It starts that API's process at the first
   * connection, because the process takes as much memory as the API, and many installations never use it.
   * @param server the compiled entry of that process
   */
  async openAdmin(server: string, host: string, port: number): Promise<void> {
    this.door = createServer((socket) => void this.admit(server, socket));
    this.door.listen({ host, port });
    await once(this.door, 'listening');
  }

  private async admit(server: string, socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy());
    socket.setTimeout(readyWithinMs, () => socket.destroy());
    if (!this.admin) {
      this.admin = this.process('admin', server);
      this.admin.keep();
    }
    const port = await this.admin.port;
    socket.setTimeout(0);
    await pipeline(socket, connect(port, loopback), socket).catch(() => undefined);
  }

  /** Every process starts again, with its environment of now. */
  restart(): void {
    for (const process of Object.values(this.processes)) process.restart();
    this.admin?.restart();
  }

  /**
   * Stops the API first, so that it accepts no request that no other role would serve. Stops the projector
   * last, so that it folds the events that the worker appends while it stops:
   * `atelier events copy --checkpoints translate` needs consumers at the end of the log.
   */
  async stop(): Promise<void> {
    const { api, worker, projector } = this.processes;
    this.door?.close();
    await Promise.all([api.stop(graceMs), this.admin?.stop(graceMs)]);
    await worker.stop(graceMs);
    await projector.stop(graceMs);
    for (const log of this.logs) log.close();
    for (const summary of this.summaries) summary.flush();
  }

  private process(name: RoleName, entry = entryOf(name)): RoleProcess {
    const path = join(this.options.logs, `${name}.log`);
    const summary = new ErrorSummary(name, path, this.options.warn);
    const log = new RoleLog(path, (message) => summary.add(message));
    this.summaries.push(summary);
    this.logs.push(log);
    return new RoleProcess(name, entry, log, this.options);
  }
}

const entryOf = (role: RoleName) => packagePath('dist', 'apps', role, 'src', 'main.js');

const loopback = '127.0.0.1';
const readyWithinMs = 60_000;
const longestPauseMs = 10_000;
/** A process that lived this long was healthy, so it is started again at once. */
const healthyAfterMs = 30_000;

/**
 * One role as a child process that is kept alive.
 *
 * - `stopped`: nothing runs. `start` leaves it.
 * - `starting`: a process loads and gets its settings. It has not yet reported that it is ready. If the first
 *   start fails, the caller reports the error. Later starts are retried, because the same settings have worked
 *   before.
 * - `ready`: if the process ends, the state returns to `starting` after a delay that doubles up to 10 s.
 * - `stopping`: `stop` was called. The process is asked to end, and killed if it does not. It is not started
 *   again.
 *
 * The child has its own process group, so that Ctrl-C in a terminal reaches only this process, which ends the
 * roles in order. If this process is killed, the child notices the closed channel and ends.
 */
class RoleProcess {
  private child: ChildProcess | undefined;
  private ended: Promise<string> = Promise.resolve('');
  private readonly stopping = new AbortController();
  private keeping: Promise<void> = Promise.resolve();
  private readiness = Promise.withResolvers<number>();

  constructor(
    private readonly name: RoleName,
    private readonly entry: string,
    private readonly log: RoleLog,
    private readonly options: RolesOptions,
  ) {}

  /** Resolves when the role is ready. @throws Error with the role's own message, in one line */
  async start(): Promise<void> {
    await this.launch(this.child ?? this.load());
    this.keeping = this.keepAlive(true);
  }

  /** Starts the role and keeps it alive, even if its first start fails. */
  keep(): void {
    this.keeping = this.keepAlive(false);
  }

  get port(): Promise<number> {
    return this.readiness.promise;
  }

  /** Ends the process, so that it starts again with the current environment. */
  restart(): void {
    this.child?.kill('SIGTERM');
  }

  async stop(graceMs: number): Promise<void> {
    this.stopping.abort();
    const child = this.child;
    if (child) {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await this.ended;
      clearTimeout(late);
    }
    await this.keeping;
  }

  load(): ChildProcess {
    const output = this.log.open();
    // By default, V8 would hold up to 70 MB more for young objects. A worker's pictures are not among them.
    // API and projector pay some 6 % of their CPU for the limit under full load, which an `npm start` rarely
    // sees.
    const youngMb = this.name === 'worker' ? 2 : 4;
    const sourceMaps = import.meta.resolve('#platform/source-maps.js');
    const child = fork(this.entry, {
      env: { ...this.options.variables, [awaitsSettings]: '1' },
      stdio: ['ignore', output, output, 'ipc'],
      execArgv: [`--max-semi-space-size=${youngMb}`, '--import', sourceMaps],
      detached: true,
    });
    closeSync(output);
    child.on('message', (message) => {
      const reply = (answered: object) => void (child.connected && child.send(answered, () => undefined));
      void answerLinkQuestion(message, this.options.takeLink, reply);
    });
    this.child = child;
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) =>
        resolve(signal ? `killed by ${signal}` : `ended with code ${code}`),
      );
      child.once('error', (error) => resolve(error.message));
    });
    return child;
  }

  private async launch(child: ChildProcess): Promise<void> {
    const environment = {
      ATELIER_STOP_GRACE_MS: String(renderGraceMs),
      ...this.options.environment(),
      ...(this.name === 'admin' && { ATELIER_ADMIN_HOST: loopback, ATELIER_ADMIN_PORT: '0' }),
    };
    // Whether it still runs is seen by its end.
    child.send(environment, () => undefined);
    const late = setTimeout(() => child.kill('SIGKILL'), readyWithinMs);
    const end = await Promise.race([this.ended, ready(child)]);
    clearTimeout(late);
    if (typeof end === 'string') throw new Error(this.log.lastComplaint() ?? end);
    this.readiness.resolve(end);
    void this.ended.then(() => (this.readiness = Promise.withResolvers()));
  }

  private async keepAlive(running: boolean): Promise<void> {
    const { signal } = this.stopping;
    const runAgain = async () => {
      if (!running) await this.launch(this.load());
      running = false;
      throw new Error(await this.ended);
    };
    await retryUntilAborted(runAgain, {
      signal,
      longestPauseMs,
      healthyAfterMs,
      onFailure: (error, afterMs) => {
        if (signal.aborted) return;
        const because = messageOf(error);
        const seconds = Math.round(afterMs / 100) / 10;
        this.options.warn(`the ${this.name} stopped (${because}); it is started again in ${seconds} s`);
      },
    });
  }
}

/** Resolves when the role reports that it is ready, with its port; 0 if it has none. */
function ready(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.on('message', (message: { type?: string; port?: number }) => {
      if (message?.type === 'ready') resolve(message.port ?? 0);
    });
  });
}
