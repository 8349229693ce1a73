import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EventStore, type EventFilter, type RecordedEvent } from '#event-store/event-store.js';
import { Logger } from '#platform/logger.js';
import { retryUntilAborted } from '#platform/retry.js';

const retryMs = 1_000;

/** Hears each event that any process appends from the start of the app, or from an earlier position, to its end. */
@Injectable()
export abstract class LogFollower implements OnApplicationBootstrap, OnApplicationShutdown {
  protected readonly stopping = new AbortController();
  private following: Promise<void> | undefined;
  private after: bigint | undefined;
  /** All followers of a process share one reading of the log, which has the types of all of them. */
  protected abstract readonly filter: EventFilter & Required<Pick<EventFilter, 'types'>>;
  /** The log line while events do not arrive. */
  protected abstract readonly complaint: string;

  constructor(
    protected readonly store: EventStore,
    @Inject(Logger) protected readonly logger: Logger,
  ) {}

  /** @param position all events up to here have been heard with these */
  protected abstract hear(events: readonly RecordedEvent[], position: bigint): void;

  /** The last event that need not be heard. Undefined: all are heard, from the first of the log on. */
  protected firstPosition(): Promise<bigint | undefined> {
    return this.store.head();
  }

  protected patienceMs(): number {
    return 100;
  }

  /** Called once every later event will reach `hear`. */
  protected onBegun(): void {}

  /** Called when the subscription fails. It is retried and continues after the last event that was heard. */
  protected onFailure(err: unknown): void {
    this.logger.warn({ err }, this.complaint);
  }

  onApplicationBootstrap(): Promise<void> {
    this.following ??= this.follow();
    return Promise.resolve();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.following;
  }

  /** Hears events until the subscription ends or fails. Called again, it continues after the last event that was heard. */
  protected async followOnce(): Promise<void> {
    const { signal } = this.stopping;
    if (this.after === undefined) {
      this.after = await this.firstPosition();
      this.onBegun();
    }
    const options = { filter: this.filter, patienceMs: () => this.patienceMs(), unprovenToo: true, signal };
    const from = this.after === undefined ? {} : { after: this.after };
    for await (const { events, position } of this.store.subscribe({ ...from, ...options })) {
      // Set before `hear`: an event that makes it throw must not come again and again.
      this.after = position;
      // Events that this service did not write are left out; they must not block those that it did.
      this.hear(
        events.filter(({ unproven }) => unproven === undefined),
        position,
      );
    }
  }

  private async follow(): Promise<void> {
    await retryUntilAborted(() => this.followOnce(), {
      signal: this.stopping.signal,
      firstPauseMs: retryMs,
      longestPauseMs: retryMs,
      onFailure: (error) => this.onFailure(error),
    });
  }
}
