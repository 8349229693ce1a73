import type { DomainEvent } from '#domain/events.js';
import { parseStreamName, type Environment } from '#domain/streams.js';
import { storeWith, type EventStore, type NewEvent } from '#event-store/event-store.js';
import type { OutcomeObserver } from '#platform/metrics.js';

/**
 * Wraps the store and reports charges, refunds and ended jobs as they are appended: once for each event,
 * whichever process wrote it. An append that finds its events already there reports nothing: they were reported
 * when they were written. If the process that wrote them lost the answer, they are never reported.
 */
export function tellingOutcomes(store: EventStore, observer: OutcomeObserver): EventStore {
  const tell = (stream: string, event: NewEvent) => {
    const environment = parseStreamName(stream)?.environment;
    if (environment) report(observer, environment, event);
  };
  const appendTogether = store.appendTogether?.bind(store);
  return storeWith(store, {
    async append(stream, expectedRevision, events) {
      const outcome = await store.append(stream, expectedRevision, events);
      if (outcome.outcome === 'appended' && !outcome.replayed) {
        for (const event of events) tell(stream, event);
      }
      return outcome;
    },
    ...(appendTogether && {
      async appendTogether(writes) {
        const outcome = await appendTogether(writes);
        if (outcome.outcome === 'appended' && !outcome.replayed) {
          for (const { stream, events } of writes) for (const event of events) tell(stream, event);
        }
        return outcome;
      },
    }),
  });
}

/** Used if the end of a job does not name its workflow. */
const unknown = 'unknown';

function report(observer: OutcomeObserver, environment: Environment, { type, data }: NewEvent): void {
  // Safe cast: `toNewEvent` made this event a moment ago, so it is in today's form.
  const event = { type, data } as DomainEvent;
  const workflow = 'operation' in event.data ? (event.data.operation ?? unknown) : unknown;
  switch (event.type) {
    case 'CreditsDebited':
      return observer.charged(environment, event.data.operation, event.data.amount);
    case 'CreditsRefunded':
      return observer.refunded(environment, event.data.reason, event.data.amount);
    case 'JobSucceeded':
      if (event.data.provenance) observer.rendered(workflow, event.data.provenance.renderMs);
      return observer.jobEnded(environment, workflow, { outcome: 'succeeded' });
    case 'JobCancelled':
      return observer.jobEnded(environment, workflow, { outcome: 'cancelled' });
    case 'JobFailed':
      return observer.jobEnded(environment, workflow, { outcome: 'failed', code: event.data.code });
    default:
      return undefined;
  }
}
