import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EventStore } from '#event-store/event-store.js';
import { Logger } from '#platform/logger.js';
import { followFromNow } from '../follow-log.js';

export interface CancelWatch {
  /** Aborted as soon as the job's JobCancelled is seen. */
  readonly signal: AbortSignal;
  release(): void;
}

/**
 * Aborts running renders whose job was cancelled. One subscription serves the whole process. It only makes the
 * abort prompt: if it lags, the store still refuses the next append of the render.
 */
@Injectable()
export class Cancellations implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly watched = new Map<string, Set<AbortController>>();
  private readonly stopped = new AbortController();
  private following: Promise<void> | undefined;

  constructor(
    private readonly store: EventStore,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.following ??= this.follow();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped.abort();
    await this.following;
  }

  /** Call this before the job is loaded, so that a cancel in between is seen either here or in the job. */
  watch(stream: string): CancelWatch {
    const controller = new AbortController();
    const watchers = this.watched.get(stream) ?? new Set();
    this.watched.set(stream, watchers.add(controller));
    const release = () => {
      watchers.delete(controller);
      if (watchers.size === 0) this.watched.delete(stream);
    };
    return { signal: controller.signal, release };
  }

  private follow(): Promise<void> {
    const options = {
      filter: { types: ['JobCancelled'] },
      signal: this.stopped.signal,
      patienceMs: () => 100,
      onFailure: (err: unknown) =>
        this.logger.warn({ err }, 'announcements of cancellations do not arrive at the moment'),
    };
    return followFromNow(this.store, options, (events) => {
      for (const { stream } of events) this.abort(stream);
    });
  }

  private abort(stream: string): void {
    for (const controller of this.watched.get(stream) ?? []) {
      controller.abort(new Error('the job was cancelled'));
    }
  }
}
