import { testMasterKey, testSigningKey } from '../../support/signing-key.js';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { processManagers } from '#application/process-managers/process-managers.js';
import { environments } from '#domain/streams.js';

/**
 * Locks for the work that only one projector may do: the read models and each process manager, in both
 * environments.
 */
export const locks = environments.flatMap((environment) => [
  `atelier.projections.${environment}`,
  ...processManagers.map(({ name }) => `atelier.process.${environment}.${name}`),
]);

/** A projector as in production, with the state that its log reports. */
export class ProjectorProcess {
  /** The locks that it says it holds. */
  readonly active = new Set<string>();
  /** Locks that it has noticed it no longer holds. */
  readonly interrupted = new Set<string>();
  /** Locks for which its log says that another process has changed the epoch. */
  readonly fenced = new Set<string>();
  readonly lines: string[] = [];

  private constructor(private readonly child: ChildProcess) {
    createInterface({ input: child.stdout! }).on('line', (line) => this.hear(line));
  }

  static async start(settings: Readonly<Record<string, string>>): Promise<ProjectorProcess> {
    const child = fork(join(process.cwd(), 'dist/apps/projector/src/main.js'), {
      env: {
        ...process.env,
        URL_SIGNING_SECRET: 'a-secret-for-tests-only',
        ATELIER_SIGNING_KEY: testSigningKey,
        ATELIER_MASTER_KEY: testMasterKey,
        LOG_LEVEL: 'info',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      execArgv: [],
    });
    const projector = new ProjectorProcess(child);
    const died = once(child, 'exit').then(([code]) => [{ type: `ended with code ${String(code)}` }]);
    const [message] = (await Promise.race([once(child, 'message'), died])) as [{ type: string }];
    if (message.type !== 'ready') throw new Error(`${message.type}: ${projector.lines.join('\n')}`);
    return projector;
  }

  get pid(): number {
    // It has started.
    return this.child.pid!;
  }

  get isActive(): boolean {
    return this.active.size === locks.length;
  }

  send(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(signal);
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill(signal);
    await gone;
  }

  private hear(line: string): void {
    this.lines.push(line);
    const { lock, msg } = JSON.parse(line) as { lock?: string; msg?: string };
    if (lock === undefined || msg === undefined) return;
    if (msg.includes('is active here')) this.active.add(lock);
    if (msg.includes('was interrupted')) this.interrupted.add(lock);
    if (msg.includes('was fenced off')) this.fenced.add(lock);
    if (msg.includes('was interrupted') || msg.includes('was fenced off')) this.active.delete(lock);
  }
}
