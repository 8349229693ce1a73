import type { Environment } from '#domain/streams.js';

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
