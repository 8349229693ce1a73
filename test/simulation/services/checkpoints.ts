import type { Anchor, AnchoredCheckpoint } from '#read-store/log-fit.js';
import type { Process, Scheduler } from '../kernel/scheduler.js';
import type { Past, SimulatedLog } from '../store/simulated-log.js';

/** Another process has taken over, so the commit of this one was refused. */
export class FencedOff extends Error {}

/** The right to work on a checkpoint, in the view of its holder. */
export interface Hold extends AnchoredCheckpoint {
  readonly name: string;
  readonly epoch: number;
  /** Aborts when the holder learns that it has lost the right; it may learn this late, or never. */
  readonly lost: AbortSignal;
}

interface Entry {
  position: bigint | null;
  anchor: Anchor | undefined;
  /** The history that it was made from; undefined: the checkpoint was set by hand. */
  past: Past | undefined;
  /**
   * Processes that have found that it does not fit the log. They leave it alone until they are started again.
   */
  haltedIn: Set<Process>;
  /** The stored reason of the halt; the next process that takes the checkpoint up removes it. */
  haltedBecause: string | null;
  epoch: number;
  holder: Process | undefined;
  lost: AbortController;
}

/**
 * Checkpoints under a lock and an epoch, by the rules of `runExclusively` and `process_checkpoints`. One
 * process holds each checkpoint. If the holder dies or falls silent, the lock goes to a process that waits. The
 * epoch refuses the commit of an old holder that wakes up late.
 */
export class Checkpoints {
  private readonly entries = new Map<string, Entry>();
  private waiting: (() => void)[] = [];
  /**
   * A consumer has halted: the operator resets, and rows count again from then on. Before the reset a retry may
   * write a lost event again, under its id and at its place. The consumer then takes the log for the one that
   * it has followed.
   */
  isResetDue = false;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly trace: (line: string) => void,
    /** False plants a bug: the epoch is not checked. */
    private readonly fenced: boolean,
    private readonly log: Pick<SimulatedLog, 'pastOf'>,
    private readonly report: (violation: string) => void,
  ) {}

  async acquire(process: Process, name: string): Promise<Hold> {
    const entry = this.entryOf(name);
    for (;;) {
      await this.scheduler.turn(process);
      const isFree =
        entry.holder === undefined || entry.holder === process || entry.holder.state !== 'running';
      if (isFree && !entry.haltedIn.has(process)) break;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    entry.holder = process;
    entry.epoch += 1;
    entry.lost = new AbortController();
    entry.haltedBecause = null;
    const { position, anchor, epoch } = entry;
    return { name, position, anchor, epoch, lost: entry.lost.signal };
  }

  /** Moves the checkpoint and runs `effects`, or does neither. @throws FencedOff */
  commit(
    { name, epoch }: Pick<Hold, 'name' | 'epoch'>,
    position: bigint,
    anchor: Anchor | undefined,
    effects: () => void = () => undefined,
  ): void {
    const entry = this.entryOf(name);
    if (this.fenced && entry.epoch !== epoch) {
      this.trace(`    ${name}: an old holder is fenced off`);
      throw new FencedOff(name);
    }
    if (entry.anchor && !this.log.pastOf(entry.anchor))
      this.report(`8: ${name} goes on although the log does not have the event of its checkpoint`);
    if (!this.isResetDue && isMisfit(entry, this.log))
      this.report(`8: ${name} goes on over another history than it has followed`);
    effects();
    entry.position = position;
    entry.anchor = anchor ?? entry.anchor;
    entry.past = entry.anchor && this.log.pastOf(entry.anchor);
  }

  /** The holder gives the checkpoint up. Another process may try, and this one again after a restart. */
  halt(process: Process, { name, epoch }: Hold, because: string): void {
    const entry = this.entryOf(name);
    entry.haltedIn.add(process);
    this.isResetDue = true;
    if (entry.epoch !== epoch) return;
    this.trace(`    ${name} is halted: ${because}`);
    entry.holder = undefined;
    entry.haltedBecause = because;
    this.holdersChanged();
  }

  /** Changes the checkpoint, as a person with access to the table could. */
  alter(
    name: string,
    change: (kept: Pick<Entry, 'position' | 'anchor'>) => Partial<Pick<Entry, 'position' | 'anchor'>>,
  ): void {
    const entry = this.entryOf(name);
    if (entry.position === null) return;
    Object.assign(entry, { ...change(entry), past: undefined });
    entry.epoch += 1;
    entry.lost.abort();
  }

  /** Does the same as `atelier checkpoints reset`. */
  reset(isKept: (name: string) => boolean): void {
    this.isResetDue = false;
    for (const [name, entry] of this.entries) {
      if (isKept(name)) continue;
      Object.assign(entry, { position: null, anchor: undefined, past: undefined, haltedBecause: null });
      entry.haltedIn.clear();
      entry.epoch += 1;
      entry.lost.abort();
    }
    this.holdersChanged();
  }

  /** The events that checkpoints were made from, and which consumers have halted. */
  get anchors() {
    return [...this.entries].flatMap(([consumer, { anchor, haltedBecause: halted }]) =>
      anchor ? [{ consumer, position: String(anchor.position), id: anchor.id, halted }] : [],
    );
  }

  /**
   * A restarted consumer may take a log for its own in which a retry wrote its event again. Then the API may do
   * so too.
   */
  get mustRefuse(): boolean {
    const stands = [...this.entries.values()].some(({ haltedBecause }) => haltedBecause !== null);
    return this.isMisfit && (stands || !this.isResetDue);
  }

  /**
   * True if the log is not the one that a consumer has followed but a restored one, whatever was appended
   * since.
   */
  get isMisfit(): boolean {
    return [...this.entries.values()].some((entry) => isMisfit(entry, this.log));
  }

  /** True if a consumer has halted in a running process. */
  get isHalted(): boolean {
    return [...this.entries.values()].some(({ haltedIn }) =>
      [...haltedIn].some(({ state }) => state !== 'dead'),
    );
  }

  /** All events up to here were handled. */
  positionOf(name: string): bigint {
    return this.entries.get(name)?.position ?? 0n;
  }

  /** A process died or fell silent, so the waiting processes try again. */
  holdersChanged(): void {
    const woken = this.waiting;
    this.waiting = [];
    for (const wake of woken) wake();
  }

  /** Sets the checkpoint back, as from an old backup: later events are delivered once more. */
  rewind(name: string, by: number | 'all'): void {
    this.alter(name, ({ position }) => ({
      position: by === 'all' || position === null || position <= BigInt(by) ? null : position - BigInt(by),
      anchor: undefined,
    }));
  }

  private entryOf(name: string): Entry {
    let entry = this.entries.get(name);
    if (!entry) {
      entry = {
        position: null,
        anchor: undefined,
        past: undefined,
        haltedIn: new Set<Process>(),
        epoch: 0,
        haltedBecause: null,
        holder: undefined,
        lost: new AbortController(),
      };
      this.entries.set(name, entry);
    }
    return entry;
  }
}

function isMisfit({ anchor, past }: Entry, log: Pick<SimulatedLog, 'pastOf'>): boolean {
  return past !== undefined && anchor !== undefined && log.pastOf(anchor) !== past;
}
