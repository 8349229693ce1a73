import { Injectable } from '@nestjs/common';
import type { Environment } from '#domain/streams.js';
import { ReadYourWrites, type Fresh } from '../consistency/read-your-writes.js';
import {
  type EnvironmentReads,
  type JobOrder,
  JobStreams,
  type JobView,
  ReadModels,
  type JobsFilter,
  type Page,
  type TimelineEntry,
} from '../read-models.js';
import type { Caller } from '../command-context.js';
import { EventStore, EventStoreUnavailable } from '#event-store/event-store.js';
import { StorePresence } from '#event-store/store-presence.js';
import { JobWatch, type JobNews } from './job-watch.js';

export interface JobDetail {
  readonly job: JobView;
  /** Undefined only while the event store is away. */
  readonly order: JobOrder | undefined;
  readonly children: readonly JobView[];
}

/** How long a read waits for its read model. Afterwards it reads the job's own stream. */
export const patienceMs = 50;

export interface JobTimeline {
  /** Ascending by seq, public events only. */
  readonly events: readonly TimelineEntry[];
  /** Where to poll on from. */
  readonly latestSeq: number;
}

/** The events since the last look; empty when there are none. */
export interface JobProgress extends JobTimeline {
  /** True once `events` includes the job's last event: nothing follows. */
  readonly ended: boolean;
}

export interface FollowOptions {
  readonly since: number;
  /** Longest time between two looks. */
  readonly idleMs: number;
  /** Must be aborted in the end, even if the iteration fails: until then the job is watched. */
  readonly signal: AbortSignal;
}

/**
 * A caller's jobs. An unknown job and another tenant's must look the same: undefined. Each method throws
 * EventStoreUnavailable if the store is away and no read model has the job.
 */
@Injectable()
export class JobQueries {
  constructor(
    private readonly reads: ReadModels,
    private readonly streams: JobStreams,
    private readonly consistency: ReadYourWrites,
    private readonly presence: StorePresence,
    private readonly watch: JobWatch,
    private readonly store: EventStore,
  ) {}

  async get(caller: Caller, jobId: string, token?: bigint): Promise<JobDetail | undefined> {
    const { environment, tenant } = caller;
    const reads = this.reads.of(environment).jobs;
    const required = this.consistency.required(caller, token);
    const reached = await this.consistency.waitFor(caller, 'jobs', required, patienceMs);
    const [row, order, children] = await Promise.all([
      reached ? reads.find(tenant, jobId) : undefined,
      this.presence.soon(() => this.streams.order(environment, tenant, jobId)),
      reads.children(tenant, jobId),
    ]);
    if (order && !order.value) return undefined;
    const found = row ?? (await this.current(caller, jobId));
    return found && { job: found, order: order?.value, children };
  }

  /** Undefined: the cursor is not one of the caller's jobs. */
  list(caller: Caller, filter: JobsFilter, token?: bigint): Promise<Fresh<Page<JobView> | undefined>> {
    return this.consistency.read(caller, 'jobs', token, () =>
      this.reads.of(caller.environment).jobs.list(caller.tenant, filter),
    );
  }

  async events(
    caller: Caller,
    jobId: string,
    since: number,
    token?: bigint,
  ): Promise<JobTimeline | undefined> {
    const { environment, tenant } = caller;
    const required = this.consistency.required(caller, token);
    if (await this.consistency.waitFor(caller, 'timeline', required, patienceMs)) {
      const { jobs, timeline } = this.reads.of(environment);
      const events = await timeline.publicEvents(tenant, jobId, since);
      const latest = events.at(-1);
      if (latest) return { events, latestSeq: latest.seq };
      const job = await jobs.find(tenant, jobId);
      if (job?.latestSeq === since) return { events, latestSeq: since };
    }
    // The read models lag, the job does not exist, or the cursor is beyond them. The job's own stream shows
    // which.
    return this.progress(caller, jobId, since);
  }

  /**
   * The job once it has ended. Undefined if the time or the signal ends the wait first.
   * @param jobId must be the caller's own: ownership is only checked when the job ends
   */
  async end(
    caller: Caller,
    jobId: string,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<JobDetail | undefined> {
    const ended = await this.watch.waitForEnd(caller.environment, jobId, { timeoutMs, signal });
    if (!ended) return undefined;
    // The end is in the log, so the read must not be older than the log's head.
    return this.get(caller, jobId, await this.store.head());
  }

  /**
   * Follows a job from `since`: yields the present state at once, then after each change and after each
   * `idleMs` without one. The iteration ends with the job, or soon after `signal` aborts. It throws the store's
   * errors.
   */
  async follow(
    caller: Caller,
    jobId: string,
    options: FollowOptions,
  ): Promise<AsyncGenerator<JobProgress> | undefined> {
    const { since, signal } = options;
    signal.throwIfAborted();
    // The watch begins before the first look, so that no event between the two is missed.
    const news = this.watch.watch(caller.environment, jobId);
    signal.addEventListener('abort', () => news.release(), { once: true });
    const first = await this.progress(caller, jobId, since);
    return first && this.later(caller, jobId, options, news, first);
  }

  private async *later(
    caller: Caller,
    jobId: string,
    { since, idleMs, signal }: FollowOptions,
    news: JobNews,
    first: JobProgress,
  ): AsyncGenerator<JobProgress> {
    let cursor = since;
    for (let seen: JobProgress | undefined = first; seen; seen = await this.progress(caller, jobId, cursor)) {
      yield seen;
      if (seen.ended) return;
      cursor = seen.events.at(-1)?.seq ?? cursor;
      await news.next({ timeoutMs: idleMs, signal });
      if (signal.aborted || this.watch.stopped) return;
    }
  }

  /**
   * Counts as a write of the tenant. A tenant that has seen `succeeded` in the job's own stream then waits, when it
   * reads renders or the catalogue, until those show the job.
   */
  private async inStream(environment: Environment, tenant: string, jobId: string) {
    const found = await this.streams.find(environment, tenant, jobId);
    if (found) this.consistency.noteWrite({ environment, tenant }, found.position);
    return found;
  }

  /** The job from its own stream, or from the read model while the store is away. */
  private async current({ environment, tenant }: Caller, jobId: string): Promise<JobView | undefined> {
    const read = await this.presence.soon(() => this.inStream(environment, tenant, jobId));
    if (read) return read.value?.job;
    return (await this.reads.of(environment).jobs.find(tenant, jobId)) ?? notKnown();
  }

  /**
   * Reads the job's own stream, because a read model may be behind. Reads the read models while the store is
   * away.
   */
  private async progress(
    { environment, tenant }: Caller,
    jobId: string,
    since: number,
  ): Promise<JobProgress | undefined> {
    const found = await this.presence.soon(() => this.inStream(environment, tenant, jobId));
    if (!found) return progressShown(this.reads.of(environment), tenant, jobId, since);
    if (!found.value) return undefined;
    const { job, timeline } = found.value;
    const events = timeline.filter(({ seq }) => seq > since);
    return { events, latestSeq: job.latestSeq, ended: job.finishedAt !== null };
  }
}

/**
 * The job as the read models know it.
 * @throws EventStoreUnavailable when they do not know the job: it may be on the log
 */
async function progressShown(
  { jobs, timeline }: EnvironmentReads,
  tenant: string,
  jobId: string,
  since: number,
): Promise<JobProgress> {
  const job = (await jobs.find(tenant, jobId)) ?? notKnown();
  const events = await timeline.publicEvents(tenant, jobId, since);
  const latestSeq = events.at(-1)?.seq ?? job.latestSeq;
  return { events, latestSeq, ended: job.finishedAt !== null };
}

function notKnown(): never {
  throw new EventStoreUnavailable('The event store does not answer, and no read model has the job');
}
