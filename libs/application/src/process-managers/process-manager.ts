import type { Environment } from '#domain/streams.js';
import type { QueueTransaction } from '#render-queue/render-queue.js';
import type { PlacedEvent } from './delivered-event.js';

/**
 * A process manager's name and events, declared apart from its code so that its progress can be read without
 * it.
 */
export interface Follows {
  /** Names its checkpoint. The name is stored, so it must not change. */
  readonly name: string;
  readonly types: readonly string[];
  /** The categories of the streams that those events live in. */
  readonly categories: readonly string[];
}

/** Acts on events in the order of the log. */
export interface ProcessManager {
  /** Called when it starts work: its memory may be older than the checkpoint. */
  begin?(environment: Environment): void;

  /**
   * Its own effects happen at least once. The writes that it returns commit together with the checkpoint, and
   * so exactly once.
   * @throws the store's errors; the events are then handled again
   */
  handle(
    environment: Environment,
    events: readonly PlacedEvent[],
  ): Promise<((tx: QueueTransaction) => Promise<void>) | void>;
}

/** Works on the whole log, of all environments. Runs in one projector at a time. */
export interface LogWatcher {
  /**
   * The work: it runs until the signal aborts, and starts again after a failure. Undefined: not wanted in this
   * installation. Throws ConsumerHalted if a person has to look first.
   */
  watch(): ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** Work that is due from time to time. Two projectors may do it at the same time. */
export interface HousekeepingTask {
  /** @param signal aborted when the projector stops */
  tend(environment: Environment, signal: AbortSignal): Promise<void>;
}
