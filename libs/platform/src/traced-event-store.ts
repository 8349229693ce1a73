import type { EventStore } from '#event-store/event-store.js';
import { inSpan, isTracing } from './tracing.js';

/**
 * The same store, with a span for each append of events that belong to a trace. Commands of several requests may be
 * appended together: the span is the child of the first, and linked to the others.
 */
export function traceAppends(store: EventStore): EventStore {
  if (!isTracing()) return store;
  return {
    append(stream, expectedRevision, events) {
      const traces = new Set(events.flatMap(({ metadata }) => metadata.traceparent ?? []));
      const [parent, ...links] = traces;
      if (parent === undefined) return store.append(stream, expectedRevision, events);
      const attributes = {
        'atelier.stream': stream,
        'atelier.events': events.map(({ type }) => type).join(','),
        'atelier.tenant': events[0]?.metadata.tenant,
      };
      return inSpan('append', { parent, links, attributes }, async (span) => {
        const outcome = await store.append(stream, expectedRevision, events);
        span.set({ 'atelier.outcome': outcome.outcome });
        if (outcome.outcome === 'appended') span.set({ 'atelier.revision': String(outcome.revision) });
        return outcome;
      });
    },
    readStream: (stream, options) => store.readStream(stream, options),
    readAll: (options) => store.readAll(options),
    head: () => store.head(),
    subscribe: (options) => store.subscribe(options),
    close: () => store.close(),
  };
}
