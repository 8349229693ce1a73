import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind as OtelKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes as OtelAttributes,
  type Context,
  type SpanContext,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import { formatTraceparent, parseTraceparent } from './correlation.js';
import type { Logger } from './logger.js';
import type { Attributes, Span, SpanKind, SpanOptions, SpanSource } from './span.js';

const kinds: Record<SpanKind, OtelKind> = {
  server: OtelKind.SERVER,
  consumer: OtelKind.CONSUMER,
  internal: OtelKind.INTERNAL,
};

/** How long a stop waits for a collector at most. */
const flushWithinMs = 3_000;

/**
 * Without this limit, a collector that is away would cause a log line for every batch: one every five seconds.
 */
const complainEveryMs = 60_000;

/**
 * Spans of the OpenTelemetry SDK, sent in batches as OTLP over HTTP in JSON. The SDK's own settings (`OTEL_…`)
 * set the address, headers, sampler and batches. {@link correlated} carries the contexts, so nothing global is
 * registered and no library is patched.
 */
export function openTelemetrySpans(role: string, logger: Logger): SpanSource {
  const report = reporter(logger);
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': `atelier-${role}`, 'service.namespace': 'atelier' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(reportingExporter(new OTLPTraceExporter(), report))],
  });
  const tracer = provider.getTracer('atelier');
  return {
    start(name, { kind = 'internal', parent, links = [], attributes = {}, startedAt }: SpanOptions) {
      const span = tracer.startSpan(
        name,
        {
          kind: kinds[kind],
          attributes: defined(attributes),
          links: links.flatMap((link) => spanContextOf(link) ?? []).map((context) => ({ context })),
          ...(startedAt === undefined ? {} : { startTime: performance.timeOrigin + startedAt }),
        },
        contextOf(parent),
      );
      const { traceId, spanId, traceFlags } = span.spanContext();
      const sampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
      return {
        traceparent: formatTraceparent({ traceId, spanId, sampled }),
        set: (more) => void span.setAttributes(defined(more)),
        end: (error) => {
          if (error !== undefined) {
            const name = error instanceof Error ? error.name : typeof error;
            span.setAttribute('error.type', name);
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end();
        },
      } satisfies Span;
    },
    async stop() {
      const late = new Promise((resolve) => setTimeout(resolve, flushWithinMs).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}

function contextOf(traceparent: string | undefined): Context {
  const parent = spanContextOf(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

function spanContextOf(traceparent: string | undefined): SpanContext | undefined {
  const parsed = parseTraceparent(traceparent);
  if (!parsed) return undefined;
  const { traceId, spanId, sampled } = parsed;
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

function defined(attributes: Attributes): OtelAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

type ReportFailure = (message: string) => void;

/** A failure to send spans is logged, but is no problem of the service. */
function reporter(logger: Logger): ReportFailure {
  let lastAt = -Infinity;
  const report = (message: string) => {
    if (performance.now() - lastAt < complainEveryMs) return;
    lastAt = performance.now();
    // Messages may quote the address, which may hold a secret.
    logger.warn(
      { because: message.replace(/\w+:\/\/\S+/g, '[address]').slice(0, 300) },
      'traces are not sent',
    );
  };
  const quiet = () => undefined;
  diag.setLogger(
    { error: report, warn: report, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  return report;
}

/** The SDK reports batches that fail while it runs, but not the last ones. */
function reportingExporter(exporter: SpanExporter, report: ReportFailure): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error) report(result.error.message || result.error.name);
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}
