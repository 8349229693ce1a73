import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf, type ProcessIdentity } from '#platform/processes.js';
import { childrenOf } from './processes.js';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A clean environment, without the variables of the shell that runs the tests. */
export function environment(home: string, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, ATELIER_HOME: home, PORT: '0', LOG_LEVEL: 'info', ...more };
}

/** A service that runs, as `npm start` runs it. */
export class Atelier {
  private constructor(
    private readonly child: ChildProcess,
    readonly home: string,
    readonly baseUrl: string,
    readonly output: () => Finished,
  ) {}

  /** @param root the tree with this `dist` */
  static async start(home: string, more: NodeJS.ProcessEnv = {}, root = process.cwd()): Promise<Atelier> {
    const { child, output } = spawnStandalone(home, more, root);
    const ready = once(child, 'message') as Promise<[{ baseUrl: string }]>;
    const [first] = await Promise.race([ready, once(child, 'exit').then(() => [undefined])]);
    if (!first) throw new Error(`the service did not start: ${JSON.stringify(output())}`);
    return new Atelier(child, home, first.baseUrl, output);
  }

  get process(): ProcessIdentity {
    return identityOf(this.child.pid ?? 0);
  }

  role(name: 'api' | 'worker' | 'projector'): ProcessIdentity {
    const [role] = childrenOf(this.child.pid ?? 0, `apps/${name}/src/main.js`);
    if (!role) throw new Error(`the ${name} does not run`);
    return role;
  }

  postgres(): ProcessIdentity {
    const [pid] = readFileSync(join(this.home, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
    return identityOf(Number(pid));
  }

  /** All processes of this service, itself included. */
  all(): ProcessIdentity[] {
    return [this.process, this.role('api'), this.role('worker'), this.role('projector'), this.postgres()];
  }

  get(path: string, key?: string): Promise<Response> {
    return fetch(`${this.baseUrl}${path}`, key ? { headers: { authorization: `Bearer ${key}` } } : {});
  }

  async stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL' = 'SIGTERM'): Promise<Finished> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill(signal);
      await ended;
    }
    return this.output();
  }
}

/** Runs `npm start` to its end, for starts that fail. */
export async function runStandalone(home: string, more: NodeJS.ProcessEnv = {}): Promise<Finished> {
  const { child, output } = spawnStandalone(home, more);
  await once(child, 'close');
  return output();
}

function spawnStandalone(home: string, more: NodeJS.ProcessEnv, root = process.cwd()) {
  // The channel also ends the service if the test is killed.
  const child = fork(join(root, 'dist', 'apps', 'standalone', 'src', 'main.js'), {
    cwd: root,
    env: environment(home, more),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // The same arguments as in the script `start`.
    execArgv: ['--max-semi-space-size=2', '--import', './dist/libs/platform/src/source-maps.js'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return { child, output: (): Finished => ({ code: child.exitCode, stdout, stderr }) };
}

/**
 * Runs a program of `dist` to its end.
 * @param options.root the tree with this `dist`
 */
export function run(
  entry: string,
  args: readonly string[],
  home: string,
  options: { env?: NodeJS.ProcessEnv; cwd?: string; root?: string } = {},
): Promise<Finished> {
  return new Promise((resolve) => {
    const { root = process.cwd(), cwd = root, env = {} } = options;
    const command = [join(root, 'dist', entry), ...args];
    const child = execFile(
      process.execPath,
      command,
      { env: environment(home, env), cwd, maxBuffer: 64 * 2 ** 20 },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}
