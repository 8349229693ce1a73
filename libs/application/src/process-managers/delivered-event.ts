import type { DomainEvent, EventOfType } from '#domain/events.js';
import type { EndedJob } from '#domain/job/job.events.js';
import { decode } from '#domain/stored-events.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { EventMetadata, EventStore } from '#event-store/event-store.js';
import { correlated } from '#platform/correlation.js';
import { inSpan } from '#platform/tracing.js';

/** An event as a process manager gets it: in today's form, with the last part of its stream's name. */
export type DeliveredEvent = DomainEvent & {
  /** The tenant if the stream is an account's, the job if it is a job's. */
  readonly streamId: string;
  readonly metadata: EventMetadata;
};

/** A delivered event with its id, revision and position. */
export type PlacedEvent = DeliveredEvent & {
  readonly eventId: string;
  readonly revision: bigint;
  readonly position: bigint;
};

/**
 * The tenant, charge, workflow and parent of a job that has ended. Old events lack them; then this reads the
 * job's first event.
 * @throws the store's errors
 */
export async function endedJobOf(
  store: EventStore,
  environment: Environment,
  {
    data,
    streamId,
  }: EventOfType<'JobSucceeded' | 'JobFailed' | 'JobCancelled'> & Pick<DeliveredEvent, 'streamId'>,
): Promise<Required<EndedJob>> {
  const { tenant, chargeId, operation, parentJobId } = data;
  if (
    tenant !== undefined &&
    chargeId !== undefined &&
    operation !== undefined &&
    parentJobId !== undefined
  ) {
    return { tenant, chargeId, operation, parentJobId };
  }
  const stream = streamName(environment, 'job', streamId);
  const slice = await store.readStream(stream, { limit: 1 });
  const first = slice.kind === 'found' && slice.events[0] ? decode(slice.events[0]) : undefined;
  if (first?.type !== 'JobQueued') throw new Error(`${stream} does not begin with JobQueued`);
  return first.data;
}

/** Runs a process manager's reaction to an event, with the event's request id and in a span of its trace. */
export function inReaction<T>(
  processManager: string,
  environment: Environment,
  { type, streamId, metadata }: DeliveredEvent,
  work: () => Promise<T>,
): Promise<T> {
  const { requestId, traceparent: parent, tenant } = metadata;
  return correlated({ requestId, traceparent: parent }, () => {
    if (parent === undefined) return work();
    const attributes = {
      'atelier.environment': environment,
      'atelier.tenant': tenant,
      'atelier.event': type,
      'atelier.job_id': streamId,
    };
    return inSpan(processManager, { kind: 'consumer', parent, attributes }, work);
  });
}
