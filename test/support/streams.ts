import { handle } from '#application/aggregate.js';
import type { CommandContext } from '#application/command-context.js';
import { jobAggregate } from '#application/job/job-writes.handler.js';
import type { Decision } from '#domain/decision.js';
import type { JobEvent } from '#domain/job/job.events.js';
import type { Job } from '#domain/job/job.js';
import { streamName } from '#domain/streams.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';

/** The events of a short stream; none if there is no such stream. */
export async function eventsIn(store: EventStore, stream: string): Promise<readonly RecordedEvent[]> {
  const slice = await store.readStream(stream, { limit: 1024 });
  return slice.kind === 'found' ? slice.events : [];
}

/**
 * Decides on a job, and appends what follows.
 * @throws Error for a rejection, which is a mistake of the spec
 */
export async function decideOnJob(
  store: EventStore,
  context: CommandContext,
  jobId: string,
  decide: (job: Job) => Decision<JobEvent, unknown>,
): Promise<void> {
  const stream = streamName(context.environment, 'job', jobId);
  const done = await handle(store, stream, jobAggregate, decide, context);
  if (done.kind === 'rejected') throw new Error(JSON.stringify(done.rejection));
}
