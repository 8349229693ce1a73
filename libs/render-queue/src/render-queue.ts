import type { Environment } from '#domain/streams.js';

/** One job that waits for a worker. It is only a pointer: the job's own stream says what to draw. */
export interface RenderTask {
  readonly environment: Environment;
  readonly tenant: string;
  readonly jobId: string;
  /**
   * A remote model draws it, and its worker only waits. It has a separate queue, so it never waits behind renders that
   * need a core.
   */
  readonly remote?: boolean;
  /** The remote image model that draws it; many tasks may wait for it. */
  readonly model?: string;
  /** The traceparent of the event that caused the render: the render belongs to its trace. */
  readonly traceparent?: string;
}

/**
 * How a worker leaves a task: `done` for good, or `retry`: any worker fetches it again after about `afterMs`
 * milliseconds. A handler that throws causes a retry too, after a delay that grows with every throw.
 */
export type TaskOutcome = { readonly kind: 'done' } | { readonly kind: 'retry'; readonly afterMs: number };

/** The part of the caller's PostgreSQL transaction that enqueueing needs. A `pg` client fits. */
export interface QueueTransaction {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

export interface WorkOptions {
  /** Takes only remote tasks. Default: only those that need a core. */
  readonly remote?: boolean;
  /** Tasks of the environment that this process works on at the same time. */
  readonly concurrency: number;
  /**
   * The most tasks of one tenant, or of one endpoint, that run at the same time in all processes. Workers that look at
   * the same moment may exceed it by a little.
   */
  readonly tenantConcurrency: number;
}

/**
 * `signal` is aborted when the worker has lost its claim (it was silent for longer than the heartbeat allows, and
 * another worker may have the task by now), or when this process stops and the grace period is over.
 */
export type TaskHandler<Task> = (task: Task, signal: AbortSignal) => Promise<TaskOutcome>;

/** Hands tasks to workers: at least once, and again when a worker dies. */
export abstract class TaskQueue<Task> {
  /**
   * Part of the caller's transaction: both commit, or neither does. A task that is enqueued twice is in the queue once.
   */
  abstract enqueue(tasks: readonly Task[], transaction: QueueTransaction): Promise<void>;

  /**
   * Puts lost tasks back, in its own transaction. A task that waits or runs stays unchanged; one that counts as done is
   * handed out once more.
   * @returns how many were missing
   */
  abstract requeue(tasks: readonly Task[]): Promise<number>;

  /** Takes tasks of one environment from now on, until {@link stop}. */
  abstract work(environment: Environment, options: WorkOptions, handler: TaskHandler<Task>): Promise<void>;

  /**
   * Takes no further tasks, waits up to `graceMs` for the running ones, then aborts those that are left and gives
   * them back.
   */
  abstract stop(graceMs: number): Promise<void>;
}

/** A kind of task, with a queue in each environment. */
export interface QueueKind<Task> {
  /** The queues are named `{name}-{environment}`. The name is stored, so it must not change. */
  readonly name: string;
  /** The same task has the same id. */
  idOf(task: Task): string;
  /** The group of a task, such as its tenant, bounded by {@link WorkOptions.tenantConcurrency}. */
  groupOf(task: Task): string;
  /** How often idle workers poll for tasks without a notification, as a multiple of the search for dead workers. */
  readonly pollFactor: number;
  /** The longest time that running tasks get when the process stops. */
  readonly graceMs: number;
}

/** The queues of capabilities, beside that of renders. */
export abstract class TaskQueues {
  abstract of<Task extends { readonly environment: Environment }>(kind: QueueKind<Task>): TaskQueue<Task>;
}

/**
 * Queued jobs, shared fairly among tenants. The job's own stream bounds attempts and decides everything about a job, so
 * a task that is handed out twice does no harm.
 */
export abstract class RenderQueue extends TaskQueue<RenderTask> {
  /**
   * Makes this queue and its neighbours again, without their tasks, if they are gone. Several processes may do
   * so at once.
   */
  abstract repair(): Promise<void>;
}

/**
 * - `waiting`: may be taken by a worker now.
 * - `delayed`: waits for its next attempt.
 * - `active`: a worker has it.
 */
export type TaskState = 'waiting' | 'delayed' | 'active';

export interface QueueLevel {
  readonly environment: Environment;
  readonly state: TaskState;
  readonly tasks: number;
  /** Seconds that the first of them has been in this state; 0 if there is none. */
  readonly oldestSeconds: number;
}

/** The levels of the render queue: one for each environment and state. */
export type ReadQueueLevels = () => Promise<readonly QueueLevel[]>;
