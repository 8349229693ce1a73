import type { TaskHandler } from '#render-queue/render-queue.js';
import type { Process, Scheduler } from '../kernel/scheduler.js';

interface Entry<Task> {
  readonly task: Task;
  state: 'waiting' | 'active' | 'done';
  /** When it may be fetched; once done, when it is forgotten. */
  dueAt: number;
  failures: number;
  claim: Claim | undefined;
}

interface Claim {
  readonly process: Process;
  readonly takenAt: number;
  readonly lost: AbortController;
}

const heartbeatMs = 10_000;
const expireMs = 900_000;
const forgetDoneMs = 10 * 60_000;

/**
 * The render queue that all workers share, by the rules of the real one. It holds each job once. It hands a job
 * out again when its worker is silent for longer than the heartbeat or holds the job for too long. It forgets a
 * job a while after it is done; to enqueue the job then hands it out once more.
 */
export class SimulatedQueue<Task> {
  private readonly entries = new Map<string, Entry<Task>>();
  private changed = new AbortController();

  constructor(
    private readonly scheduler: Scheduler,
    /** The same task has the same name. */
    private readonly nameOf: (task: Task) => string,
  ) {}

  /** Call it in the step that moves the checkpoint. */
  enqueue(tasks: readonly Task[]): void {
    const { now } = this.scheduler;
    for (const task of tasks) {
      const known = this.entries.get(this.nameOf(task));
      if (known && !(known.state === 'done' && known.dueAt <= now)) continue;
      this.entries.set(this.nameOf(task), {
        task,
        state: 'waiting',
        dueAt: now,
        failures: 0,
        claim: undefined,
      });
    }
    this.wake();
  }

  /**
   * Does the same as `RenderQueue.requeue`: a task that is there stays, and one that counts as done is handed
   * out once more.
   */
  requeue(tasks: readonly Task[]): number {
    const lost = tasks.filter((task) => (this.entries.get(this.nameOf(task))?.state ?? 'done') === 'done');
    for (const task of lost) this.entries.delete(this.nameOf(task));
    this.enqueue(lost);
    return lost.length;
  }

  /** Loses tasks: the waiting ones, or also those that a worker holds. The worker notices later. */
  lose(which: 'waiting' | 'all'): void {
    for (const [jobId, entry] of this.entries) {
      if (which === 'waiting' && entry.state !== 'waiting') continue;
      this.revoke(entry);
      entry.claim = undefined;
      this.entries.delete(jobId);
    }
  }

  /** Jobs that are not done. */
  get open(): readonly string[] {
    return [...this.entries].filter(([, { state }]) => state !== 'done').map(([jobId]) => jobId);
  }

  /** One slot of a worker: it fetches, handles and settles tasks until its process dies. */
  async work(process: Process, handler: TaskHandler<Task>): Promise<never> {
    for (;;) {
      await this.scheduler.after(process, this.dueIn(), this.changed.signal);
      await this.scheduler.turn(process);
      const entry = this.fetchable();
      if (!entry) continue;
      const claim: Claim = { process, takenAt: this.scheduler.now, lost: new AbortController() };
      this.revoke(entry);
      entry.state = 'active';
      entry.claim = claim;
      const outcome = await handler(entry.task, claim.lost.signal).catch(() => 'threw' as const);
      await this.scheduler.turn(process);
      if (entry.claim === claim) this.settle(entry, outcome);
    }
  }

  private settle(entry: Entry<Task>, outcome: Awaited<ReturnType<TaskHandler<Task>>> | 'threw'): void {
    const { now } = this.scheduler;
    entry.claim = undefined;
    if (outcome === 'threw') {
      entry.state = 'waiting';
      entry.dueAt = now + Math.min(60_000, 1_000 * 2 ** entry.failures++);
    } else if (outcome.kind === 'retry') {
      entry.state = 'waiting';
      entry.dueAt = now + outcome.afterMs;
    } else {
      entry.state = 'done';
      entry.dueAt = now + forgetDoneMs;
    }
    this.wake();
  }

  /**
   * Wakes the workers that wait for tasks, as NOTIFY does, and as the supervision does that finds dead workers.
   */
  wake(): void {
    const changed = this.changed;
    this.changed = new AbortController();
    changed.abort();
  }

  private fetchable(): Entry<Task> | undefined {
    return [...this.entries.values()].find((entry) => dueAt(entry) <= this.scheduler.now);
  }

  private dueIn(): number {
    const first = Math.min(...[...this.entries.values()].map(dueAt));
    return Math.max(0, first - this.scheduler.now);
  }

  /** A worker that is alive after all notices at its own next turn, which may be late. */
  private revoke({ claim }: Entry<Task>): void {
    if (!claim) return;
    this.scheduler.later(claim.process, 0, () => claim.lost.abort(new Error('the claim was lost')));
  }
}

/** When a task may be fetched, or fetched again although a worker holds it. */
function dueAt({ state, dueAt: due, claim }: Entry<unknown>): number {
  if (state === 'waiting') return due;
  if (state === 'done' || !claim) return Infinity;
  const silentAt = claim.process.silentSince ?? Infinity;
  return Math.min(silentAt + heartbeatMs, claim.takenAt + expireMs);
}
