import { randomFrom } from './random.js';

/**
 * A process of the simulated installation, from its start to its end; a restart makes another one of the same
 * name.
 *
 * - `running`: it gets turns.
 * - `paused`: it stands still and does not know it (SIGSTOP, a long garbage collection). `resume` ends this
 *   state.
 * - `dead`: killed. Its calls are never answered; messages that it has sent may still arrive. Final.
 */
export interface Process {
  readonly name: string;
  state: 'running' | 'paused' | 'dead';
  /** When it was last seen alive; the other processes notice a pause or a death by this. */
  silentSince: number | undefined;
}

export function startProcess(name: string): Process {
  return { name, state: 'running', silentSince: undefined };
}

interface Turn {
  readonly process: Process;
  readonly at: number;
  run(): void;
}

/** Runs everything that needs no further turn: all microtasks of all processes. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Simulated time and the order of everything. Each await of the code under test on its surroundings waits here
 * for a turn. One turn is given at a time, to a process that chance picks, and a millisecond passes. Between
 * two turns any process may be killed or paused, so a process can die at each of its awaits.
 */
export class Scheduler {
  private nowMs = Date.UTC(2026, 0, 1);
  private turns: Turn[] = [];
  /** A choice that the seed determines: from 0 to `bound` - 1. */
  choose = randomFrom(0);
  turnsGiven = 0;

  /** Milliseconds since 1970. */
  get now(): number {
    return this.nowMs;
  }

  /** Determines all later random choices. */
  reseed(seed: number): void {
    this.choose = randomFrom(seed);
  }

  /** Resolves when the process gets its turn; never if the process is dead by then. */
  turn(process: Process): Promise<void> {
    return this.after(process, 0);
  }

  /** Resolves at a turn `ms` from now or later, or without a turn as soon as `signal` aborts. */
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

  /** Runs work of the process at a later time. */
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

  /** Gives one turn. False: no turn is due. */
  async step(): Promise<boolean> {
    const ready = () =>
      this.turns.filter(({ at, process }) => at <= this.nowMs && process.state === 'running');
    let due = ready();
    if (due.length === 0) {
      // A signal since the last turn may make its listeners wait for new turns.
      await settle();
      due = ready();
    }
    const turn = due[this.choose(Math.max(1, due.length))];
    if (!turn) return false;
    this.turns.splice(this.turns.indexOf(turn), 1);
    this.nowMs += 1;
    this.turnsGiven += 1;
    turn.run();
    await settle();
    return true;
  }

  advance(ms: number): void {
    this.nowMs += ms;
  }

  /** When the next turn in the future is due; undefined: no process waits for a time. */
  get nextDueAt(): number | undefined {
    const later = this.turns.filter(
      ({ at, process }) => at > this.nowMs && at < Infinity && process.state === 'running',
    );
    return later.length === 0 ? undefined : Math.min(...later.map(({ at }) => at));
  }
}
