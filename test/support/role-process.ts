import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface RoleProcess {
  /** The facts that the process sent when it was ready. */
  readonly ready: Record<string, unknown>;
  readonly pid: number;
  /** The log of the process so far. */
  logged(): string;
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

const build = join(process.cwd(), 'dist');

/**
 * Starts one compiled entry point, for example `apps/api/src/main.js`, and waits until it is ready. The role's
 * errors are shown, its other log lines are not. The role ends when this process does.
 * @param folder of another release's build
 */
export async function startRole(
  entry: string,
  environment: Record<string, string>,
  folder = build,
): Promise<RoleProcess> {
  const child = fork(join(folder, entry), {
    env: { ...process.env, LOG_LEVEL: 'error', ...environment },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: [],
  });
  let logged = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    logged += text;
    process.stdout.write(text);
  });
  const ready = await Promise.race([firstReady(child), exitedEarly(child, entry)]);
  return {
    ready,
    pid: child.pid as number,
    logged: () => logged,
    stop: (signal = 'SIGTERM') => stop(child, signal),
  };
}

async function firstReady(child: ChildProcess): Promise<Record<string, unknown>> {
  for (;;) {
    const [message] = (await once(child, 'message')) as [Record<string, unknown>];
    if (message['type'] === 'ready') return message;
  }
}

async function exitedEarly(child: ChildProcess, entry: string): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`${entry} ended with code ${code} before it was ready`);
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
