import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Order } from './recorder.js';

export const roles = ['api', 'worker', 'projector'] as const;
export type Role = (typeof roles)[number];

const entry = join(process.cwd(), 'dist', 'test', 'crash', 'points', 'role.js');

/** Longer than a role ever needs, even on a busy machine. */
const patienceMs = 120_000;

/** One role of the service, with a loaded successor that takes over at once when it is started. */
export class RoleHost {
  private current: Promise<ChildProcess> | undefined;
  private successor: Promise<ChildProcess>;
  /** The facts that the running process sent when it was ready. */
  facts: Readonly<Record<string, unknown>> = {};

  constructor(
    readonly role: Role,
    private readonly environment: Readonly<Record<string, string>>,
  ) {
    this.successor = this.load();
  }

  /** Starts the successor. Its predecessor must have ended. */
  async start(): Promise<void> {
    this.current = this.successor.then(async (child) => {
      const ready = messageOf(child, 'ready');
      child.send({ type: 'start' });
      this.facts = await ready;
      return child;
    });
    await this.current;
    this.successor = this.load();
    this.successor.catch(() => undefined);
  }

  async replace(): Promise<void> {
    await this.kill();
    await this.start();
  }

  async follow(order: Order): Promise<void> {
    const child = await this.running();
    const following = messageOf(child, 'following');
    child.send({ type: 'follow', ...order });
    await following;
  }

  /** Resolves when the process has ended, for any reason. @returns how */
  async death() {
    const child = await this.running();
    if (!(await this.isDead())) await once(child, 'exit');
    return { signal: child.signalCode, code: child.exitCode };
  }

  async isDead(): Promise<boolean> {
    const child = await this.running();
    return child.exitCode !== null || child.signalCode !== null;
  }

  async kill(): Promise<void> {
    if (this.current === undefined) return;
    const child = await this.current;
    child.kill('SIGKILL');
    await this.death();
  }

  async close(): Promise<void> {
    await this.kill().catch(() => undefined);
    const child = await this.successor.catch(() => undefined);
    child?.kill('SIGKILL');
  }

  private running(): Promise<ChildProcess> {
    if (this.current === undefined) throw new Error(`the ${this.role} was not started`);
    return this.current;
  }

  private async load(): Promise<ChildProcess> {
    const child = fork(entry, [this.role], {
      env: { ...process.env, ...this.environment },
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await messageOf(child, 'loaded');
    return child;
  }
}

async function messageOf(child: ChildProcess, type: string): Promise<Record<string, unknown>> {
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
  const hear = (message: Record<string, unknown>) => {
    if (message['type'] === type) resolve(message);
  };
  const gone = (code: number | null) => reject(new Error(`a role ended with ${code} before it was ${type}`));
  const timer = setTimeout(() => reject(new Error(`a role was not ${type} in time`)), patienceMs);
  child.on('message', hear).once('exit', gone);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.off('message', hear).off('exit', gone);
  }
}

/** A line of the notes: what happened, and at which point. */
export interface Note {
  readonly what: string;
  readonly point: string;
}

export function readNotes(file: string): Note[] {
  // Without a file, nothing was passed.
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [what = '', point = ''] = line.split('\t');
      return { what, point };
    });
}
