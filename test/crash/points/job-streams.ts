import { handle } from '#application/aggregate.js';
import { jobAggregate } from '#application/render/job-aggregate.js';
import { cancelJob } from '#domain/job/render-job.js';
import { streamName } from '#domain/streams.js';
import type { World } from './world.js';

export async function jobTypes({ events }: World, jobId: string): Promise<string[]> {
  const slice = await events.store.readStream(streamName('test', 'job', jobId));
  return slice.kind === 'found' ? slice.events.map(({ type }) => type) : [];
}

/** What a cancel does first, and what it leaves when it dies right after: no refund, and a batch's jobs go on. */
export async function cancelAlone(world: World, tenant: string, jobId: string): Promise<void> {
  const command = { reason: 'Cancelled by the caller.', at: new Date().toISOString() };
  const stream = streamName('test', 'job', jobId);
  const decide = (job: typeof jobAggregate.initial) => cancelJob(command, job);
  await handle(world.events.store, stream, jobAggregate, decide, world.context(tenant));
}
