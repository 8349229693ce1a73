import { Injectable, Inject } from '@nestjs/common';
import type { Environment } from '#domain/streams.js';
import { ReadYourWrites, type Fresh } from '../consistency/read-your-writes.js';
import {
  type EnvironmentReads,
  type FoundJob,
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

/**
 * What a tenant was shown of a job's own stream counts as its own write: once it has seen `succeeded`, its next look at
 * the renders or the catalogue waits until they are that far, and must not say that there is nothing.
 */
@Injectable()
export class NotedJobStreams implements JobStreams {
  constructor(
    private readonly streams: JobStreams,
    private readonly consistency: ReadYourWrites,
  ) {}

  async find(environment: Environment, tenant: string, jobId: string): Promise<FoundJob | undefined> {
    const found = await this.streams.find(environment, tenant, jobId);
    if (found) this.consistency.noteWrite({ environment, tenant }, found.position);
    return found;
  }

  order(environment: Environment, tenant: string, jobId: string): Promise<JobOrder | undefined> {
    return this.streams.order(environment, tenant, jobId);
  }
}

export interface JobDetail {
  readonly job: JobView;
  /** Undefined only while the event store is away. */
  readonly order: JobOrder | undefined;
  readonly children: readonly JobView[];
}

/** A read model that is this far behind is not waited for: the job's own stream is at hand. */
export const patienceMs = 50;

export interface JobTimeline {
  /** Ascending by seq, public events only. */
  readonly events: readonly TimelineEntry[];
  /** Where to poll on from. */
  readonly latestSeq: number;
}

/** What has come since the last look; without events when nothing has. */
export interface JobProgress extends JobTimeline {
  /** True once the job's last event has been told: nothing follows. */
  readonly ended: boolean;
}

export interface FollowOptions {
  /** Where to follow from. */
  readonly since: number;
  /** A look comes after this time without news as well. */
  readonly idleMs: number;
  /** Must be aborted in the end, whatever becomes of the iteration: until then the job is watched. */
  readonly signal: AbortSignal;
}

/**
 * A caller's jobs. One that is unknown and another tenant's must look the same: undefined.
 * Each method throws EventStoreUnavailable while the store is away, for a job that no read model has.
 */
@Injectable()
export class JobQueries {
  constructor(
    private readonly reads: ReadModels,
    @Inject(NotedJobStreams) private readonly streams: JobStreams,
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

  /** Undefined: the cursor is no job of the caller's. */
  list(caller: Caller, filter: JobsFilter, token?: bigint): Promise<Fresh<Page<JobView> | undefined>> {
    return this.consistency.read(caller, 'jobs', token, () =>
      this.reads.of(caller.environment).jobs.list(caller.tenant, filter),
    );
  }

  /** The public events of a job with a seq beyond `since`. */
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
    // Not known to the read models yet, or no such job, or a cursor beyond them: the job's own stream tells which.
    return this.progress(caller, jobId, since);
  }

  /**
   * The job once it has ended. Undefined when it has not, in time or before the signal aborts.
   * @param jobId must be the caller's own: ownership is only checked when it ends
   */
  async end(
    caller: Caller,
    jobId: string,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<JobDetail | undefined> {
    const ended = await this.watch.waitForEnd(caller.environment, jobId, { timeoutMs, signal });
    if (!ended) return undefined;
    // The end is in the log: what is read must not be older than that.
    return this.get(caller, jobId, await this.store.head());
  }

  /**
   * A job from `since` on: what there is at once, and then each time there is news or `idleMs` have passed. It comes to
   * its end with the job, or soon after `signal` aborts. The iteration throws what the store throws.
   */
  async follow(
    caller: Caller,
    jobId: string,
    options: FollowOptions,
  ): Promise<AsyncGenerator<JobProgress> | undefined> {
    const { since, signal } = options;
    signal.throwIfAborted();
    // Before the first look, so that nothing is missed between the two.
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

  /** The job from its own stream, or as far as the read model knows it. */
  private async current({ environment, tenant }: Caller, jobId: string): Promise<JobView | undefined> {
    const read = await this.presence.soon(() => this.streams.find(environment, tenant, jobId));
    if (read) return read.value?.job;
    return (await this.reads.of(environment).jobs.find(tenant, jobId)) ?? notKnown();
  }

  /** Reads the job's own stream, because a read model may be behind; or the read models, while the store is away. */
  private async progress(
    { environment, tenant }: Caller,
    jobId: string,
    since: number,
  ): Promise<JobProgress | undefined> {
    const found = await this.presence.soon(() => this.streams.find(environment, tenant, jobId));
    if (!found) return progressShown(this.reads.of(environment), tenant, jobId, since);
    if (!found.value) return undefined;
    const { job, timeline } = found.value;
    const events = timeline.filter(({ seq }) => seq > since);
    return { events, latestSeq: job.latestSeq, ended: job.finishedAt !== null };
  }
}

/** As far as the read models know the job. @throws EventStoreUnavailable when they do not: it may be on the log */
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

/** The job may be on the log. */
function notKnown(): never {
  throw new EventStoreUnavailable('The event store is away, and no read model has the job');
}
