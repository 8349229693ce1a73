import type { Environment } from '#domain/streams.js';

/** One job that waits for a worker. Only a pointer: the job's own stream says what to draw. */
export interface RenderTask {
  readonly environment: Environment;
  readonly tenant: string;
  readonly jobId: string;
  /** Its worker only waits for it: it has a queue of its own, and never stands behind renders that need a core. */
  readonly remote?: boolean;
  /** The image model that draws it, which many may wait for. */
  readonly model?: string;
  /** Of the event that set the render off: the render belongs to its trace. */
  readonly traceparent?: string;
}

/**
 * How a worker leaves a task: `done` for good, or `retry`: it is fetched again after about that many milliseconds,
 * by any worker. A worker that throws leaves it as a retry too, after a delay that grows with every throw.
 */
export type TaskOutcome = { readonly kind: 'done' } | { readonly kind: 'retry'; readonly afterMs: number };

/** What enqueueing needs of the caller's PostgreSQL transaction. A `pg` client fits. */
export interface QueueTransaction {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

export interface WorkOptions {
  /** Takes the tasks that are waited for, in place of those that need a core. */
  readonly remote?: boolean;
  /** Tasks of the environment that this process works on at the same time. */
  readonly concurrency: number;
  /**
   * Tasks of one tenant, or of one endpoint, that are worked on at the same time, over all processes. Workers that look
   * at the very same moment may exceed it by a little.
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
  /** Part of the caller's transaction: either both happen or none. Enqueueing a task twice is enqueueing it once. */
  abstract enqueue(tasks: readonly Task[], transaction: QueueTransaction): Promise<void>;

  /**
   * Puts tasks back that were lost, in a transaction of its own. One that is there, waiting or in a worker's hands, stays
   * as it is; one that counts as done is given out once more.
   * @returns how many were not there
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

/**
 * Queued jobs, fairly among tenants. It bounds nothing and decides nothing about a job; the job's own stream does, so a
 * task that is handed out twice does no harm.
 */
export abstract class RenderQueue extends TaskQueue<RenderTask> {
  /** Makes this queue and its neighbours anew where they are gone, without their tasks. Several processes may do so at once. */
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
  /** How long the first of them has been in this state, in seconds; 0 when there is none. */
  readonly oldestSeconds: number;
}

/** How full the render queue is: one level for each environment and state. */
export type ReadQueueLevels = () => Promise<readonly QueueLevel[]>;
