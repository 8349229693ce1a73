import { Injectable } from '@nestjs/common';
import { decode } from '#domain/stored-events.js';
import { environments, categoryPrefix, streamName, type Environment } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { LogFollower } from '../follow-log.js';

/** Reports changes of one job since the last `next`. Release it when the wait is over. */
export interface JobNews {
  /**
   * True as soon as the job may have a new event: since the watch began for the first call, since the previous
   * call for later ones. False when the time is over, the signal aborts, or the watch stops.
   */
  next(options: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<boolean>;
  release(): void;
}

/**
 * Event types that a caller sees on a timeline. JobQueued is left out: a wait begins only once the job exists.
 */
const types = ['StageCompleted', 'JobSucceeded', 'JobFailed', 'JobCancelled'];

const endings = new Set(['JobSucceeded', 'JobFailed', 'JobCancelled', 'JobVoided']);

/** One wait for one job. It remembers an event that comes between two calls of `next`. */
class Watcher {
  private fresh = false;
  private over = false;
  private wake: (() => void) | undefined;

  tell(): void {
    this.fresh = true;
    this.wake?.();
  }

  end(): void {
    this.over = true;
    this.wake?.();
  }

  async wait(timeoutMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (!this.fresh && !this.over && !signal?.aborted && timeoutMs > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
        signal?.addEventListener('abort', this.wake, { once: true });
      });
      if (this.wake) signal?.removeEventListener('abort', this.wake);
      this.wake = undefined;
    }
    const fresh = this.fresh && !this.over && !signal?.aborted;
    this.fresh = false;
    return fresh;
  }
}

/**
 * Wakes each wait for a job when the job has a new event. One subscription serves the whole process, and wakes
 * only the waits for that job. The wake-up carries no data: the waiter reads the job itself.
 *
 * No wake-up is lost between reading and waiting, as long as the watch begins before the job's own stream is
 * read. Earlier events are in the stream by then, and later ones are remembered until `next`. Read the stream
 * and not a read model, because a read model may lag behind the wake-up.
 */
@Injectable()
export class JobWatch extends LogFollower {
  protected readonly filter = {
    types,
    streamPrefixes: environments.map((environment) => categoryPrefix(environment, 'job')),
  };
  protected readonly complaint = 'announcements of job events do not arrive at the moment';
  private readonly watchers = new Map<string, Set<Watcher>>();

  protected override patienceMs(): number {
    return this.watchers.size > 0 ? 5 : 100;
  }

  /** A caller may have read before the subscription had its place in the log; it reads once more. */
  protected override onBegun(): void {
    for (const watcher of this.everybody()) watcher.tell();
  }

  protected hear(events: readonly RecordedEvent[]): void {
    for (const { stream } of events) for (const watcher of this.watchers.get(stream) ?? []) watcher.tell();
  }

  /** Ends every wait at once; each answers with the present state. */
  override async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    for (const watcher of this.everybody()) watcher.end();
    await super.onApplicationShutdown();
  }

  /** True from {@link onApplicationShutdown} on: no more news will come. */
  get stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  watch(environment: Environment, jobId: string): JobNews {
    const stream = streamName(environment, 'job', jobId);
    const watcher = new Watcher();
    if (this.stopping.signal.aborted) watcher.end();
    const ofStream = this.watchers.get(stream) ?? new Set();
    this.watchers.set(stream, ofStream.add(watcher));
    return {
      next: ({ timeoutMs, signal }) => watcher.wait(timeoutMs, signal),
      release: () => {
        ofStream.delete(watcher);
        if (ofStream.size === 0 && this.watchers.get(stream) === ofStream) this.watchers.delete(stream);
      },
    };
  }

  /**
   * True once the job has ended, at once if it already has. False when the time is over, the signal aborts, or
   * this process stops. The caller must check beforehand that it owns the job.
   * @throws the store's errors
   */
  async waitForEnd(
    environment: Environment,
    jobId: string,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<boolean> {
    const end = performance.now() + timeoutMs;
    const news = this.watch(environment, jobId);
    try {
      for (;;) {
        if (await this.hasEnded(environment, jobId)) return true;
        const remainingMs = Math.max(0, Math.ceil(end - performance.now()));
        if (!(await news.next({ timeoutMs: remainingMs, ...(signal && { signal }) }))) return false;
      }
    } finally {
      news.release();
    }
  }

  private async hasEnded(environment: Environment, jobId: string): Promise<boolean> {
    const stream = streamName(environment, 'job', jobId);
    const slice = await this.store.readStream(stream, { direction: 'backwards', limit: 1 });
    const last = slice.kind === 'found' ? slice.events[0] : undefined;
    return last !== undefined && endings.has(decode(last).type);
  }

  private *everybody(): Generator<Watcher> {
    for (const watchers of this.watchers.values()) yield* watchers;
  }
}
