import { KnownReleases } from '#capabilities/releases/known-releases.js';
import { EventStoreUnavailable, NotThisLog, type EventStore } from '#event-store/event-store.js';
import type { Logger } from '#platform/logger.js';
import type { Database } from '#read-store/database.js';
import type { Process, Scheduler } from '../kernel/scheduler.js';

const retryMs = 1_000;

/** The releases in the memory of one process, which waits and tries again in simulated time. */
export class SimulatedKnownReleases extends KnownReleases {
  constructor(
    store: EventStore,
    database: Database,
    logger: Logger,
    private readonly scheduler: Scheduler,
    private readonly process: Process,
  ) {
    super(store, database, logger);
  }

  override onApplicationBootstrap(): Promise<void> {
    void this.followForLife();
    return Promise.resolve();
  }

  protected override async within(work: () => Promise<void>, ms: number, late: () => Error): Promise<void> {
    const done = new AbortController();
    const tooLate = this.scheduler.after(this.process, ms, done.signal).then(() => {
      if (!done.signal.aborted) throw late();
    });
    try {
      await Promise.race([work(), tooLate]);
    } finally {
      done.abort();
    }
  }

  private async followForLife(): Promise<void> {
    for (;;) {
      try {
        await this.followOnce();
      } catch (error) {
        if (!(error instanceof EventStoreUnavailable || error instanceof NotThisLog)) throw error;
      }
      if (this.process.state === 'dead') return;
      await this.scheduler.after(this.process, retryMs);
    }
  }
}
