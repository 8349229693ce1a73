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
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
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

/** One job of the caller. Undefined when it is unknown or another tenant's, which must look the same. */
export class GetJob extends Query<JobDetail | undefined> {
  constructor(
    readonly caller: Caller,
    readonly jobId: string,
    readonly token?: bigint,
  ) {
    super();
  }
}

/** A read model that is this far behind is not waited for: the job's own stream is at hand. */
export const patienceMs = 50;

@QueryHandler(GetJob)
export class GetJobHandler implements IQueryHandler<GetJob> {
  constructor(
    private readonly reads: ReadModels,
    @Inject(NotedJobStreams) private readonly streams: JobStreams,
    private readonly consistency: ReadYourWrites,
    private readonly presence: StorePresence,
  ) {}

  /** @throws EventStoreUnavailable while the store is away, for a job that the read model does not have */
  async execute({ caller, jobId, token }: GetJob): Promise<JobDetail | undefined> {
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
    const found = row ?? (await this.look(caller, jobId))?.job;
    return found && { job: found, order: order?.value, children };
  }

  /** The job from its own stream, or as far as the read model knows it. */
  private async look({ environment, tenant }: Caller, jobId: string) {
    const read = await this.presence.soon(() => this.streams.find(environment, tenant, jobId));
    if (read) return read.value;
    const job = await this.reads.of(environment).jobs.find(tenant, jobId);
    return { job: job ?? notKnown() };
  }
}

/** It may be on the log. */
function notKnown(): never {
  throw new EventStoreUnavailable('The event store is away, and no read model has the job');
}

/** Undefined: the cursor is no job of the caller's. */
export class ListJobs extends Query<Fresh<Page<JobView> | undefined>> {
  constructor(
    readonly caller: Caller,
    readonly filter: JobsFilter,
    readonly token?: bigint,
  ) {
    super();
  }
}

@QueryHandler(ListJobs)
export class ListJobsHandler implements IQueryHandler<ListJobs> {
  constructor(
    private readonly reads: ReadModels,
    private readonly consistency: ReadYourWrites,
  ) {}

  execute({ caller, filter, token }: ListJobs): Promise<Fresh<Page<JobView> | undefined>> {
    return this.consistency.read(caller, 'jobs', token, () =>
      this.reads.of(caller.environment).jobs.list(caller.tenant, filter),
    );
  }
}

export interface JobTimeline {
  /** Ascending by seq, public events only. */
  readonly events: readonly TimelineEntry[];
  /** Where to poll on from. */
  readonly latestSeq: number;
}

/** The public events of one of the caller's jobs with a seq beyond `since`. Undefined: no such job of this caller. */
export class GetJobEvents extends Query<JobTimeline | undefined> {
  constructor(
    readonly caller: Caller,
    readonly jobId: string,
    readonly since: number,
    readonly token?: bigint,
  ) {
    super();
  }
}

@QueryHandler(GetJobEvents)
export class GetJobEventsHandler implements IQueryHandler<GetJobEvents> {
  constructor(
    private readonly reads: ReadModels,
    @Inject(NotedJobStreams) private readonly streams: JobStreams,
    private readonly consistency: ReadYourWrites,
    private readonly presence: StorePresence,
  ) {}

  /** @throws EventStoreUnavailable while the store is away, for a job that the read model does not have */
  async execute({ caller, jobId, since, token }: GetJobEvents): Promise<JobTimeline | undefined> {
    const { environment, tenant } = caller;
    const required = this.consistency.required(caller, token);
    if (await this.consistency.waitFor(caller, 'timeline', required, patienceMs)) {
      const events = await this.reads.of(environment).timeline.publicEvents(tenant, jobId, since);
      const latest = events.at(-1);
      if (latest) return { events, latestSeq: latest.seq };
      const job = await this.reads.of(environment).jobs.find(tenant, jobId);
      if (job?.latestSeq === since) return { events, latestSeq: since };
    }
    // Not known to the read models yet, or no such job, or a cursor beyond them: the job's own stream tells which.
    const found = await this.presence.soon(() => this.streams.find(environment, tenant, jobId));
    if (!found) return progressShown(this.reads.of(environment), tenant, jobId, since);
    if (!found.value) return undefined;
    const { timeline, job } = found.value;
    return { events: timeline.filter(({ seq }) => seq > since), latestSeq: job.latestSeq };
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

/** One job of the caller once it has ended. Undefined when it has not, in time or before the signal aborts. */
export class AwaitJob extends Query<JobDetail | undefined> {
  constructor(
    readonly caller: Caller,
    /** Must be the caller's own: ownership is only checked when it ends. */
    readonly jobId: string,
    readonly timeoutMs: number,
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

@QueryHandler(AwaitJob)
export class AwaitJobHandler implements IQueryHandler<AwaitJob> {
  constructor(
    private readonly watch: JobWatch,
    private readonly store: EventStore,
    private readonly jobs: GetJobHandler,
  ) {}

  /** @throws what the store throws; the job goes on all the same */
  async execute({ caller, jobId, timeoutMs, signal }: AwaitJob): Promise<JobDetail | undefined> {
    const ended = await this.watch.waitForEnd(caller.environment, jobId, { timeoutMs, signal });
    if (!ended) return undefined;
    // The end is in the log: what is read must not be older than that.
    return this.jobs.execute(new GetJob(caller, jobId, await this.store.head()));
  }
}

/** What has come since the last look; without events when nothing has. */
export interface JobProgress extends JobTimeline {
  /** True once the job's last event has been told: nothing follows. */
  readonly ended: boolean;
}

/**
 * One of the caller's jobs from `since` on: what there is at once, and then each time there is news, or `idleMs` have
 * passed without any. It comes to its end with the job, or soon after `signal` aborts. Undefined: no such job of this
 * caller.
 */
export class FollowJob extends Query<AsyncIterable<JobProgress> | undefined> {
  constructor(
    readonly caller: Caller,
    readonly jobId: string,
    readonly since: number,
    readonly idleMs: number,
    /** Has to be aborted in the end, whatever becomes of the iteration: it is what the job is watched for. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

/**
 * Every look reads the job's own stream: a read model may not know yet what there is news of. While that cannot be read, it
 * is what there is.
 */
@QueryHandler(FollowJob)
export class FollowJobHandler implements IQueryHandler<FollowJob> {
  constructor(
    private readonly watch: JobWatch,
    @Inject(NotedJobStreams) private readonly streams: JobStreams,
    private readonly reads: ReadModels,
    private readonly presence: StorePresence,
  ) {}

  /** @throws what the store throws, and so does the iteration */
  async execute(query: FollowJob): Promise<AsyncIterable<JobProgress> | undefined> {
    const { caller, jobId, since, signal } = query;
    signal.throwIfAborted();
    // Before the first look, so that nothing is missed between the two.
    const news = this.watch.watch(caller.environment, jobId);
    signal.addEventListener('abort', () => news.release(), { once: true });
    const first = await this.look(caller, jobId, since);
    return first && this.follow(query, news, first);
  }

  private async *follow(
    { caller, jobId, since, idleMs, signal }: FollowJob,
    news: JobNews,
    first: JobProgress,
  ): AsyncGenerator<JobProgress> {
    let cursor = since;
    for (let seen: JobProgress | undefined = first; seen; seen = await this.look(caller, jobId, cursor)) {
      yield seen;
      if (seen.ended) return;
      cursor = seen.events.at(-1)?.seq ?? cursor;
      await news.next({ timeoutMs: idleMs, signal });
      if (signal.aborted || this.watch.stopped) return;
    }
  }

  private async look({ environment, tenant }: Caller, jobId: string, since: number) {
    const found = await this.presence.soon(() => this.streams.find(environment, tenant, jobId));
    if (!found) return progressShown(this.reads.of(environment), tenant, jobId, since);
    if (!found.value) return undefined;
    const { job, timeline } = found.value;
    const events = timeline.filter(({ seq }) => seq > since);
    return { events, latestSeq: job.latestSeq, ended: job.finishedAt !== null };
  }
}
