import type { EventStore } from '#event-store/event-store.js';
import type { Configuration } from '#platform/configuration.js';

export interface CopiedLog {
  readonly source: EventStore;
  readonly target: EventStore;
}

/** What a capability does about a log that was copied: its own streams of that log are not copied along. */
export interface LogCopies {
  /** The target holds the same events as the source. */
  copied(log: CopiedLog): Promise<void>;
  /**
   * The service goes on with the target, and so do its checkpoints.
   * @param by who moved it, and why
   * @throws CliError when the source was not what it should have been
   */
  moved(
    configuration: Configuration,
    log: CopiedLog,
    by: { readonly by: string; readonly reason: string },
  ): Promise<void>;
}
