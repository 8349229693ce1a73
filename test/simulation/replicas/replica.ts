import type { Process } from '../kernel/scheduler.js';
import { Network } from '../store/network.js';

/**
 * One of the processes of an installation. A restart gives it a new process and new memory; its network stays.
 */
export abstract class Replica {
  readonly network = new Network();
  process: Process;

  constructor(readonly name: string) {
    this.process = { name, state: 'dead', silentSince: undefined };
  }

  start(): void {
    this.process = { name: this.name, state: 'running', silentSince: undefined };
    this.boot();
  }

  protected abstract boot(): void;
}

/** Runs work for as long as its process lives; an error of the work ends the simulation. */
export function inBackground(work: Promise<unknown>, onDefect: (error: unknown) => void): void {
  work.catch(onDefect);
}
