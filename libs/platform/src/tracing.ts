import {
  storeWith,
  type AppendOutcome,
  type AppendTogetherOutcome,
  type EventStore,
  type NewEvent,
} from '#event-store/event-store.js';
import type { EnvironmentVariables } from './configuration.js';
import { correlated, correlation } from './correlation.js';
import type { Logger } from './logger.js';
import type { Span, SpanOptions, SpanSource } from './span.js';

export type { Span };

/**
 * Traces, off by default. Without an address for them, a span only runs its work, and the SDK of OpenTelemetry
 * is not loaded. An incoming traceparent is passed on in both cases: from the request into its events, and from
 * events into the work that they start.
 *
 * Attributes hold ids and names. An error is recorded by its class alone, because messages may quote secrets.
 */
let source: SpanSource | undefined;

/** Whether spans go anywhere: for what would cost something to prepare. */
export function isTracing(): boolean {
  return source !== undefined;
}

/** Opens a span that the caller ends. Run the work of the span with `under(span, …)`. */
export function openSpan(name: string, options: SpanOptions = {}): Span {
  const parent = options.parent ?? correlation().traceparent;
  return source?.start(name, { ...options, parent }) ?? unrecorded(parent);
}

export function under<T>({ traceparent }: Span, work: () => T): T {
  return traceparent === correlation().traceparent ? work() : correlated({ traceparent }, work);
}

/** Does the work in a span, which ends with it. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = openSpan(name, options);
  try {
    const result = await under(span, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

function unrecorded(traceparent: string | undefined): Span {
  return { traceparent, set: () => undefined, end: () => undefined };
}

/**
 * The standard variables decide: an endpoint switches traces on, and either of the other two switches them off.
 */
export function wantsTracing(variables: EnvironmentVariables): boolean {
  const endpoint =
    variables['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || variables['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const isDisabled = variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true';
  return Boolean(endpoint) && !isDisabled && variables['OTEL_TRACES_EXPORTER'] !== 'none';
}

/**
 * Starts to send spans, if the settings name an address. Resolves to a function that sends the last spans and
 * stops.
 */
export async function startTracing(
  role: string,
  logger: Logger,
  variables: EnvironmentVariables = process.env,
): Promise<() => Promise<void>> {
  if (!wantsTracing(variables)) return () => Promise.resolve();
  const { openTelemetrySpans } = await import('./tracing-opentelemetry.js');
  const started = openTelemetrySpans(role, logger);
  source = started;
  logger.info('traces are sent');
  return async () => {
    source = undefined;
    await started.stop();
  };
}

/**
 * The same store, with a span for each append of events that belong to a trace. Commands of several requests
 * may be appended together. The span is then the child of the first request's span, and linked to the others.
 */
export function traceAppends(store: EventStore): EventStore {
  if (!isTracing()) return store;
  const traced = <Outcome extends AppendOutcome | AppendTogetherOutcome>(
    streams: readonly string[],
    events: readonly NewEvent[],
    append: () => Promise<Outcome>,
  ): Promise<Outcome> => {
    const traces = new Set(events.flatMap(({ metadata }) => metadata.traceparent ?? []));
    const [parent, ...links] = traces;
    if (parent === undefined) return append();
    const attributes = {
      'atelier.stream': streams.join(','),
      'atelier.events': events.map(({ type }) => type).join(','),
      'atelier.tenant': events[0]?.metadata.tenant,
    };
    return inSpan('append', { parent, links, attributes }, async (span) => {
      const outcome = await append();
      span.set({ 'atelier.outcome': outcome.outcome });
      if ('revision' in outcome) span.set({ 'atelier.revision': String(outcome.revision) });
      return outcome;
    });
  };
  return storeWith(store, {
    append: (stream, expectedRevision, events) =>
      traced([stream], events, () => store.append(stream, expectedRevision, events)),
    appendTogether: (writes) => {
      const written = writes.filter(({ events }) => events.length > 0);
      return traced(
        written.map(({ stream }) => stream),
        written.flatMap(({ events }) => events),
        () => store.appendTogether!(writes),
      );
    },
  });
}
