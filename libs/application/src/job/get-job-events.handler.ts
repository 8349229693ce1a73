import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '../caller.js';
import { NotedJobStreams } from './noted-job-streams.js';
import { ReadYourWrites } from '../consistency/read-your-writes.js';
import { type JobStreams, ReadModels, type TimelineEntry } from '../read-models.js';
import { patienceMs } from './get-job.handler.js';

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
  ) {}

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
    const found = await this.streams.find(environment, tenant, jobId);
    if (!found) return undefined;
    const { timeline, job } = found;
    return { events: timeline.filter(({ seq }) => seq > since), latestSeq: job.latestSeq };
  }
}
