import type { ErasedWords, WordErasure } from '#event-store/word-erasure.js';
import type { Process, Scheduler } from '../kernel/scheduler.js';
import type { SimulatedLog } from '../store/simulated-log.js';

/**
 * The positions up to which the words of streams are erased. The log of the simulation is not encrypted: a stream whose key
 * was destroyed only counts as such.
 */
export type DestroyedKeys = Map<string, bigint>;

export class SimulatedWords implements WordErasure {
  constructor(
    private readonly destroyed: DestroyedKeys,
    private readonly log: SimulatedLog,
    private readonly scheduler: Scheduler,
    private readonly process: Process,
  ) {}

  /** Each key is destroyed in a turn of its own, so that a process can die between two of them. */
  async eraseWords(streams: readonly string[]): Promise<ErasedWords> {
    let erased = 0;
    for (const stream of streams) {
      await this.scheduler.turn(this.process);
      const last = this.log.streamOf(stream)?.at(-1)?.position;
      if (last === undefined) continue;
      this.destroyed.set(stream, last);
      erased += 1;
    }
    return { erased, underTenantKey: 0, plain: 0 };
  }

  /** No tenant is closed here. */
  eraseTenant(): Promise<void> {
    return Promise.reject(new Error('the simulation closes no tenant'));
  }
}
