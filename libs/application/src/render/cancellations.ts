import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '#event-store/event-store.js';
import { LogFollower } from '../follow-log.js';

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
export class Cancellations extends LogFollower {
  protected readonly filter = { types: ['JobCancelled'] };
  protected readonly complaint = 'announcements of cancellations do not arrive at the moment';
  private readonly watched = new Map<string, Set<AbortController>>();

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

  protected hear(events: readonly RecordedEvent[]): void {
    for (const { stream } of events)
      for (const controller of this.watched.get(stream) ?? [])
        controller.abort(new Error('the job was cancelled'));
  }
}
