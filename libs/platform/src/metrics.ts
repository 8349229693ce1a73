import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { EventStoreObserver } from '#event-store/observer.js';

/** An append on a healthy store takes some milliseconds, and none more than its deadline of 10 s. */
const appendSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The metrics of one process, for Prometheus. Labels have a handful of values each: no tenant, no stream, no address and
 * no message is ever in one. `docs/metrics.md` lists them.
 */
export class Metrics {
  readonly #registry = new Registry();
  /** To be handed to the event store. */
  readonly eventStore: EventStoreObserver;

  constructor(role: string) {
    const registers = [this.#registry];
    this.#registry.setDefaultLabels({ role });
    collectDefaultMetrics({ register: this.#registry });
    this.eventStore = observeEventStore(registers);
  }

  /** Of what {@link text} gives. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

function observeEventStore(registers: Registry[]): Required<EventStoreObserver> {
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `atelier_event_store_${name}_total`, help, labelNames, registers });
  const appends = new Histogram({
    name: 'atelier_event_store_append_duration_seconds',
    help: 'How long appends took, retries included, by how they ended',
    labelNames: ['result'],
    buckets: appendSeconds,
    registers,
  });
  const retries = counter('retries', 'Calls that failed and were made again', 'operation');
  const unknown = counter(
    'unknown_outcomes_resolved',
    'Appends whose answer was lost, and whose outcome was found out',
  );
  const resubscriptions = counter('resubscriptions', 'Subscriptions that were taken up again');
  const reconnections = counter('reconnections', 'Lost connections that were replaced');
  // A series that is there from the start shows its first increase.
  appends.zero({ result: 'appended' });
  for (const operation of ['append', 'read']) retries.inc({ operation }, 0);
  return {
    appended: (durationMs, result) => appends.observe({ result }, durationMs / 1000),
    retried: (operation) => retries.inc({ operation }),
    unknownOutcomeResolved: () => unknown.inc(),
    resubscribed: () => resubscriptions.inc(),
    reconnected: () => reconnections.inc(),
  };
}

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `GET /metrics` and nothing else, for roles that have no HTTP of their own. @throws when the port is taken */
export function serveMetrics(metrics: Metrics, host: string, port: number): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      // Of a server that listens on TCP it is never a text or null.
      resolve({ port: (server.address() as AddressInfo).port, close });
    });
  });
}
