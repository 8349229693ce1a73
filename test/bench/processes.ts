import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface BenchProcess {
  /** What the process said when it was ready. */
  readonly ready: Record<string, unknown>;
  readonly pid: number;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '..', '..');

/** Starts one compiled entry point and waits until it is ready. `entry` is relative to the build's root. */
export async function startProcess(
  entry: string,
  environment: Record<string, string>,
): Promise<BenchProcess> {
  const child = fork(join(root, entry), {
    env: { ...process.env, LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ready = await Promise.race([firstReady(child), exitedEarly(child, entry)]);
  return { ready, pid: child.pid as number, stop: () => stop(child) };
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

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
