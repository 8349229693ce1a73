import type { Environment } from '#domain/streams.js';
import type { QueueTransaction } from '#render-queue/render-queue.js';
import type { PlacedEvent } from './delivered-event.js';

/** What a process manager wants of the log, known without its code: for a look at how far it is. */
export interface Follows {
  /** Names its checkpoint: stored, so it stays as it is. */
  readonly name: string;
  readonly types: readonly string[];
  /** The categories of the streams that those events live in. */
  readonly categories: readonly string[];
}

/** Acts on events in the order of the log. */
export interface ProcessManager {
  /** Called when it takes the work up: what it remembers may be older than the checkpoint. */
  begin?(environment: Environment): void;

  /**
   * What it does itself is done at least once. Writes that it gives back commit together with the checkpoint: once.
   * @throws what the store throws; the events are then handled again
   */
  handle(
    environment: Environment,
    events: readonly PlacedEvent[],
  ): Promise<((tx: QueueTransaction) => Promise<void>) | void>;
}

/** Does something with the whole log, of all environments, in one projector at a time. */
export interface LogWatcher {
  /**
   * What it does until the signal aborts, and again after a failure. Undefined: this installation does not want it.
   * It throws ConsumerHalted when a person has to look first.
   */
  watch(): ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** Something that has to be done from time to time. Two projectors that do it at the same time do no harm. */
export interface HousekeepingTask {
  /** @param signal aborted when the projector stops */
  tend(environment: Environment, signal: AbortSignal): Promise<void>;
}
