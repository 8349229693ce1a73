import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '../caller.js';
import { NotedJobStreams } from './noted-job-streams.js';
import type { JobStreams } from '../read-models.js';
import type { JobTimeline } from './get-job-events.handler.js';
import { type JobNews, JobWatch } from './job-watch.js';

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

/** Every look reads the job's own stream: a read model may not know yet what there is news of. */
@QueryHandler(FollowJob)
export class FollowJobHandler implements IQueryHandler<FollowJob> {
  constructor(
    private readonly watch: JobWatch,
    @Inject(NotedJobStreams) private readonly streams: JobStreams,
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
    const found = await this.streams.find(environment, tenant, jobId);
    if (!found) return undefined;
    const { job, timeline } = found;
    const events = timeline.filter(({ seq }) => seq > since);
    return { events, latestSeq: job.latestSeq, ended: job.finishedAt !== null };
  }
}
