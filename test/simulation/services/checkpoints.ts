import type { Process, Scheduler } from '../kernel/scheduler.js';

/** Somebody else has taken over, and what this one wanted to commit was refused. */
export class FencedOff extends Error {}

/** The right to work on a checkpoint, as its holder believes it. */
export interface Hold {
  readonly name: string;
  readonly position: bigint | undefined;
  readonly epoch: number;
  /** Aborts when the holder is told that it is none any more; it may not be told, or late. */
  readonly lost: AbortSignal;
}

interface Entry {
  position: bigint | undefined;
  epoch: number;
  holder: Process | undefined;
  lost: AbortController;
}

/**
 * Checkpoints under a lock and an epoch, by the rules of `runExclusively` and `process_checkpoints`: one process holds
 * each; the lock of one that is dead, or that fell silent, goes to whoever waits; and the epoch refuses the commit of
 * an old holder that wakes up late.
 */
export class Checkpoints {
  private readonly entries = new Map<string, Entry>();
  private waiting: (() => void)[] = [];

  constructor(
    private readonly scheduler: Scheduler,
    private readonly trace: (line: string) => void,
    /** False plants a bug: nobody looks at the epoch. */
    private readonly fenced = true,
  ) {}

  async acquire(process: Process, name: string): Promise<Hold> {
    const entry = this.entryOf(name);
    for (;;) {
      await this.scheduler.turn(process);
      if (entry.holder === undefined || entry.holder === process || entry.holder.state !== 'running') break;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    entry.holder = process;
    entry.epoch += 1;
    entry.lost = new AbortController();
    return { name, position: entry.position, epoch: entry.epoch, lost: entry.lost.signal };
  }

  /** The checkpoint moves and `effects` happen, or none of both. @throws FencedOff */
  commit({ name, epoch }: Hold, position: bigint, effects: () => void = () => undefined): void {
    const entry = this.entryOf(name);
    if (this.fenced && entry.epoch !== epoch) {
      this.trace(`    ${name}: an old holder is fenced off`);
      throw new FencedOff(name);
    }
    effects();
    entry.position = position;
  }

  /** Somebody died, or fell silent: those who wait look again. */
  holdersChanged(): void {
    const woken = this.waiting;
    this.waiting = [];
    for (const wake of woken) wake();
  }

  /** The checkpoint is set back, as from an old backup: what came after it is delivered once more. */
  rewind(name: string, position: bigint | undefined): void {
    const entry = this.entryOf(name);
    if (entry.position === undefined || (position !== undefined && position > entry.position)) return;
    entry.position = position;
    entry.epoch += 1;
    entry.lost.abort();
  }

  positionOf(name: string): bigint | undefined {
    return this.entryOf(name).position;
  }

  private entryOf(name: string): Entry {
    let entry = this.entries.get(name);
    if (!entry) {
      entry = { position: undefined, epoch: 0, holder: undefined, lost: new AbortController() };
      this.entries.set(name, entry);
    }
    return entry;
  }
}
