import { Injectable } from '@nestjs/common';
import { readForwards } from '#application/aggregate.js';
import type { JobOrder, JobStreams } from '#application/read-models.js';
import { streamName, type Environment } from '#domain/streams.js';
import { EventStore, type RecordedEvent } from '#event-store/event-store.js';
import { jobsReadModel } from '#projections/jobs/jobs.read-model.js';
import { foldTimelineRows } from '#projections/timeline/timeline.read-model.js';
import { toProjectedEvent } from '#read-store/projected-event.js';
import { foldRow } from '#read-store/read-model.js';

/**
 * Jobs folded from their own streams. It uses the folds of the read models, so it shows what they will show.
 */
@Injectable()
export class StoredJobs implements JobStreams {
  constructor(private readonly store: EventStore) {}

  async find(environment: Environment, tenant: string, jobId: string) {
    // One event shows whose job it is. So another tenant's job costs the same as an unknown one.
    const order = await this.order(environment, tenant, jobId);
    if (!order) return undefined;
    const stream = streamName(environment, 'job', jobId);
    const recorded: RecordedEvent[] = [];
    for await (const events of readForwards(this.store, stream, 0n)) recorded.push(...events);
    const events = recorded.map(toProjectedEvent);
    const job = foldRow(jobsReadModel, events);
    const timeline = foldTimelineRows(events).filter(({ visibility }) => visibility === 'public');
    // A job comes from at least one event.
    return job && { job, order, timeline, position: recorded.at(-1)!.position };
  }

  async order(environment: Environment, tenant: string, jobId: string): Promise<JobOrder | undefined> {
    const first = await this.store.readStream(streamName(environment, 'job', jobId), { limit: 1 });
    const queued = first.kind === 'stream-not-found' ? undefined : first.events[0];
    if (queued?.metadata.tenant !== tenant) return undefined;
    const event = toProjectedEvent(queued);
    return event.type === 'JobQueued' ? event.data : undefined;
  }
}
