import type { AfterRestore } from '#capabilities/erasure/after-restore.js';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '#event-store/event-store.js';
import type { Installation } from '../installation.js';
import { startProcess, type Process } from '../kernel/scheduler.js';
import { Network } from '../store/network.js';

const startAgainMs = 1_000;

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

  /** A process that cannot erase again after a restore ends, and is started again. */
  protected async afterRestore(work: AfterRestore): Promise<void> {
    const { wiring, scheduler, report } = this.installation;
    const { process } = this;
    for (;;) {
      try {
        return await wiring.afterRestore(work);
      } catch (error) {
        if (!(error instanceof EventStoreUnavailable || error instanceof AppendOutcomeUnknown))
          report(`${this.name} met a defect after a restore: ${String(error)}`);
        await scheduler.after(process, startAgainMs);
      }
    }
  }

  /** Runs work for as long as its process lives; an error of the work ends the simulation. */
  protected inBackground(name: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => this.installation.report(`${name} ended: ${String(error)}`));
  }
}
