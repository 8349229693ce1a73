import type { Environment } from '#domain/streams.js';
import { correlated } from '#platform/correlation.js';
import { inSpan } from '#platform/tracing.js';
import type { DeliveredEvent } from './delivered-event.js';

/** Does what a process manager does because of an event: for the event's request, and in a span of its trace. */
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
      ...{ 'atelier.environment': environment, 'atelier.tenant': tenant, 'atelier.event': type },
      'atelier.job_id': streamId,
    };
    return inSpan(processManager, { kind: 'consumer', parent, attributes }, work);
  });
}
