import { Random } from './random.js';

/**
 * A process of the simulated installation, from its start to its end; a restart makes another one of the same name.
 *
 * - `running`: its turns come.
 * - `paused`: it stands still and does not know it (SIGSTOP, a long garbage collection). Left by `resume`.
 * - `dead`: killed. What it waits for never comes; what it has sent may still arrive. Final.
 */
export interface Process {
  readonly name: string;
  state: 'running' | 'paused' | 'dead';
  /** When it was last seen alive: what the others know of a pause or a death. */
  silentSince: number | undefined;
}

interface Turn {
  readonly process: Process;
  readonly at: number;
  run(): void;
}

/** Lets everything happen that needs no further turn: all microtasks of all processes. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Simulated time and the order of everything. Whatever the code under test awaits of its surroundings is a turn that
 * it waits for here; one turn is given at a time, to whom chance picks, and a millisecond passes. Between two turns
 * any process may be killed or paused: so each await is a place where each process can die.
 */
export class Scheduler {
  private nowMs: number;
  private turns: Turn[] = [];
  private random = new Random(0);
  private given = 0;

  constructor(startAt = Date.UTC(2026, 0, 1)) {
    this.nowMs = startAt;
  }

  /** Milliseconds since 1970. */
  get now(): number {
    return this.nowMs;
  }

  get turnsGiven(): number {
    return this.given;
  }

  /** What chance picks from now on. */
  reseed(seed: number): void {
    this.random = new Random(seed);
  }

  /** A choice that a seed decides: from 0 to `bound` - 1. */
  choose(bound: number): number {
    return this.random.below(bound);
  }

  /** Resolves when the process gets its turn; never for one that is dead by then. */
  turn(process: Process): Promise<void> {
    return this.after(process, 0);
  }

  /** Resolves at a turn that comes `ms` from now or later, or without one as soon as `signal` aborts. */
  after(process: Process, ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const turn: Turn = {
        process,
        at: this.nowMs + ms,
        run: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      const onAbort = () => {
        this.turns = this.turns.filter((other) => other !== turn);
        resolve();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.turns.push(turn);
    });
  }

  /** Does something at some later time, as the process's own doing. */
  later(process: Process, ms: number, work: () => void): void {
    this.turns.push({ process, at: this.nowMs + ms, run: work });
  }

  kill(process: Process): void {
    process.state = 'dead';
    process.silentSince ??= this.nowMs;
    this.turns = this.turns.filter((turn) => turn.process !== process);
  }

  pause(process: Process): void {
    if (process.state !== 'running') return;
    process.state = 'paused';
    process.silentSince = this.nowMs;
  }

  resume(process: Process): void {
    if (process.state !== 'paused') return;
    process.state = 'running';
    process.silentSince = undefined;
  }

  /** Gives one turn. False: nobody waits for one that is due. */
  async step(): Promise<boolean> {
    const ready = () =>
      this.turns.filter(({ at, process }) => at <= this.nowMs && process.state === 'running');
    let due = ready();
    if (due.length === 0) {
      // A signal that was sent since the last turn may bring those who hear of it to wait for theirs.
      await settle();
      due = ready();
    }
    const turn = due[this.choose(Math.max(1, due.length))];
    if (!turn) return false;
    this.turns.splice(this.turns.indexOf(turn), 1);
    this.nowMs += 1;
    this.given += 1;
    turn.run();
    await settle();
    return true;
  }

  advance(ms: number): void {
    this.nowMs += ms;
  }

  /** When the next turn is due that is not due yet; undefined: nobody waits for the time. */
  get nextDueAt(): number | undefined {
    const later = this.turns.filter(
      ({ at, process }) => at > this.nowMs && at < Infinity && process.state === 'running',
    );
    return later.length === 0 ? undefined : Math.min(...later.map(({ at }) => at));
  }
}
