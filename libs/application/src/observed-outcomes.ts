import { LRUCache } from 'lru-cache';
import type { DomainEvent } from '#domain/events.js';
import { parseStreamName, type Environment } from '#domain/streams.js';
import type { EventStore, NewEvent, RecordedEvent } from '#event-store/event-store.js';

/** Who wants to know what this process writes. None may throw. */
export interface OutcomeObserver {
  charged(environment: Environment, workflow: string, credits: number): void;
  refunded(environment: Environment, reason: string, credits: number): void;
  jobEnded(
    environment: Environment,
    workflow: string,
    end:
      { readonly outcome: 'succeeded' | 'cancelled' } | { readonly outcome: 'failed'; readonly code: string },
  ): void;
  rendered(workflow: string, durationMs: number): void;
}

/**
 * The same store, which tells about charges, refunds and ended jobs as they are appended: once for each event,
 * whichever process wrote it. An append that finds its events there already was counted when they were written; should
 * the process that wrote them have lost the answer, they are not counted at all.
 *
 * What ends a job does not say which workflow it was. Whoever ends it has read its stream from the first event on,
 * or has written that event, through this very store: it is learnt on the way.
 */
export function observeOutcomes(store: EventStore, observer: OutcomeObserver): EventStore {
  const workflows = new LRUCache<string, string>({ max: 20_000 });
  const learn = (stream: string, event: NewEvent | undefined) => {
    if (event?.type !== 'JobQueued') return;
    // Of this type since the first release, see the golden histories.
    workflows.set(stream, (event.data as { operation: string }).operation);
  };
  const tell = (stream: string, event: NewEvent) => {
    const environment = parseStreamName(stream)?.environment;
    if (environment) report(observer, environment, workflows.get(stream) ?? 'unknown', event);
  };
  return {
    async append(stream, expectedRevision, events) {
      const outcome = await store.append(stream, expectedRevision, events);
      if (outcome.outcome === 'appended') {
        learn(stream, events[0]);
        if (!outcome.replayed) for (const event of events) tell(stream, event);
      }
      return outcome;
    },
    async readStream(stream, options) {
      const slice = await store.readStream(stream, options);
      if (slice.kind === 'found') learn(stream, firstOfStream(slice.events));
      return slice;
    },
    readAll: (options) => store.readAll(options),
    head: () => store.head(),
    subscribe: (options) => store.subscribe(options),
    close: () => store.close(),
  };
}

function firstOfStream([first]: readonly RecordedEvent[]): RecordedEvent | undefined {
  return first?.revision === 0n ? first : undefined;
}

function report(
  observer: OutcomeObserver,
  environment: Environment,
  workflow: string,
  { type, data }: NewEvent,
): void {
  // What is appended was made by `toNewEvent` a moment ago, so it is in today's form.
  const event = { type, data } as DomainEvent;
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
