import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EventStore } from '#event-store/event-store.js';
import { Logger } from '#platform/logger.js';
import { retryUntilAborted } from '#platform/retry.js';

export interface CancelWatch {
  /** Aborted as soon as the job's JobCancelled is seen. */
  readonly signal: AbortSignal;
  release(): void;
}

const retryMs = 1_000;

/**
 * Tells running renders that their job was cancelled. One subscription serves the whole process. It only makes the
 * abort prompt: should it lag, the next append of the render is refused all the same.
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

  /** To be called before the job is loaded: a cancel in between is then seen in one place or the other. */
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

  private async follow(): Promise<void> {
    const { signal } = this.stopped;
    let after: bigint | undefined;
    const follow = async () => {
      after ??= await this.store.head();
      const filter = { types: ['JobCancelled'] };
      const from = after === undefined ? {} : { after };
      for await (const batch of this.store.subscribe({ ...from, filter, signal, patienceMs: () => 100 })) {
        for (const { stream } of batch.events) this.abort(stream);
        after = batch.position;
      }
    };
    await retryUntilAborted(follow, {
      ...{ signal, firstPauseMs: retryMs, longestPauseMs: retryMs },
      onFailure: (err) => this.logger.warn({ err }, 'cancellations are not heard at the moment'),
    });
  }

  private abort(stream: string): void {
    for (const controller of this.watched.get(stream) ?? []) {
      controller.abort(new Error('the job was cancelled'));
    }
  }
}
