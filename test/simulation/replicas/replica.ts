import type { Installation } from '../installation.js';
import { startProcess, type Process } from '../kernel/scheduler.js';
import { Network } from '../store/network.js';

/**
 * One of the processes of an installation. A restart gives it a new process and new memory; its network stays.
 */
export abstract class Replica {
  readonly network = new Network();
  process: Process;

  constructor(
    readonly name: string,
    protected readonly installation: Installation,
  ) {
    this.process = { ...startProcess(name), state: 'dead' };
  }

  start(): void {
    this.process = startProcess(this.name);
    this.boot();
  }

  protected abstract boot(): void;

  /** Runs work for as long as its process lives; an error of the work ends the simulation. */
  protected inBackground(name: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => this.installation.report(`${name} ended: ${String(error)}`));
  }
}
