import { Injectable } from '@nestjs/common';
import { readForwards } from '#application/aggregate.js';
import type { JobStreams } from '#application/read-models.js';
import { streamName, type Environment } from '#domain/streams.js';
import { EventStore, type RecordedEvent } from '#event-store/event-store.js';
import { foldJobRow } from '#projections/jobs/jobs.read-model.js';
import { foldTimelineRows } from '#projections/timeline/timeline.read-model.js';
import { toProjectedEvent } from '#read-store/projected-event.js';

/** Jobs folded from their own streams, with the folds of the read models: what a read model will show. */
@Injectable()
export class StoredJobs implements JobStreams {
  constructor(private readonly store: EventStore) {}

  async find(environment: Environment, tenant: string, jobId: string) {
    const stream = streamName(environment, 'job', jobId);
    // One event tells whose it is, so that another tenant's job costs what an unknown one does.
    const first = await this.store.readStream(stream, { limit: 1 });
    if (first.kind === 'stream-not-found' || first.events[0]?.metadata.tenant !== tenant) return undefined;
    const recorded: RecordedEvent[] = [];
    for await (const events of readForwards(this.store, stream, 0n)) recorded.push(...events);
    const events = recorded.map(toProjectedEvent);
    const job = foldJobRow(events);
    const timeline = foldTimelineRows(events).filter(({ visibility }) => visibility === 'public');
    // A job comes from at least one event.
    return job && { job, timeline, position: recorded.at(-1)!.position };
  }
}
