import { Counter, Histogram, type Registry } from 'prom-client';

/** One answer of the API. All of it has few values: the route is a template, never a path. */
export interface HttpAnswer {
  readonly method: string;
  /** For example `/v1/jobs/:public_id`; undefined for a path that nothing is at. */
  readonly route: string | undefined;
  /** Undefined when the client went away before it was answered. */
  readonly status: number | undefined;
  readonly durationMs: number;
  /** The workflow, where the route dispatches one. */
  readonly workflow: string | undefined;
}

export type HttpObserver = (answer: HttpAnswer) => void;

/** A dispatch takes some milliseconds; one that waits for its job's end, or follows it, may take a minute. */
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function observeHttp(registers: Registry[]): HttpObserver {
  const durations = new Histogram({
    name: 'atelier_http_request_duration_seconds',
    help: 'How long requests took, from their headers to the last byte of their answers',
    labelNames: ['method', 'route', 'status'],
    buckets: seconds,
    registers,
  });
  const dispatches = new Counter({
    name: 'atelier_dispatches_total',
    help: 'Answers to dispatches, by workflow and status code',
    labelNames: ['workflow', 'status'],
    registers,
  });
  return ({ method, route, status, durationMs, workflow }) => {
    const known = route !== undefined;
    // Anybody can make methods and paths up; what nothing is at is one series.
    const labels = { method: known ? method : 'any', route: known ? route : 'unmatched' };
    const outcome = status === undefined ? 'aborted' : `${Math.floor(status / 100)}xx`;
    durations.observe({ ...labels, status: outcome }, durationMs / 1000);
    if (workflow !== undefined) dispatches.inc({ workflow, status: status ?? 'aborted' });
  };
}
