import type { EventStore } from '#event-store/event-store.js';
import type { WordErasure } from '#event-store/word-erasure.js';
import type { Configuration } from '#platform/configuration.js';

export interface CopiedLog {
  readonly source: EventStore;
  readonly target: EventStore;
}

/** A capability's part in copying a log. Its own streams of that log are not copied. */
export interface LogCopies {
  /** The target holds the same events as the source. */
  copied?(log: CopiedLog): Promise<void>;
  /**
   * The target holds the same events, and words encrypted that the source holds as plain text. May be called again after
   * the next copy.
   */
  sealed?(target: { readonly store: EventStore; readonly erasure: WordErasure }): Promise<void>;
  /**
   * The service goes on with the target, and so do its checkpoints.
   * @param by the operator who moved it, and the reason
   * @throws CallRefused when the source is not in the expected state
   */
  moved?(
    configuration: Configuration,
    log: CopiedLog,
    by: { readonly by: string; readonly reason: string },
  ): Promise<void>;
}
