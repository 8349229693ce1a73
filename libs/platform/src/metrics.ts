import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { type Environment, environments } from '#domain/streams.js';
import type { EventStoreObserver } from '#event-store/observer.js';
import { type GaugeTimes, InstallationGauges, type InstallationSources } from './metrics-installation.js';

/**
 * The metrics of one process, for Prometheus. Each label has only a few values. So a tenant, stream, address or
 * message is never a label. `docs/metrics.md` lists the metrics.
 */
export class Metrics {
  /** Capabilities count there. */
  readonly registry = new Registry();
  private installation: InstallationGauges | undefined;
  private httpMetrics: HttpObserver | undefined;
  private engineMetrics: EngineObserver | undefined;
  /** To be handed to the event store. */
  readonly eventStore: EventStoreObserver;
  /** Reports of every event that this process has written go here. */
  readonly outcomes: OutcomeObserver;
  /** Pictures that were not served, by `reason`: `missing` or `altered`. */
  readonly brokenPictures: Counter<'reason'>;

  constructor(role: string) {
    const registers = [this.registry];
    this.registry.setDefaultLabels({ role });
    // The default of 10 ms would wake an idle process a hundred times a second.
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 100 });
    this.eventStore = observeEventStore(registers);
    this.outcomes = countOutcomes(registers);
    this.brokenPictures = counterIn(registers)(
      'broken_pictures',
      'Pictures that were not served, because their bytes were gone or not those that were stored',
      'reason',
    );
    for (const reason of ['missing', 'altered']) this.brokenPictures.inc({ reason }, 0);
  }

  /** A role that answers requests reports every answer to it. */
  get http(): HttpObserver {
    return (this.httpMetrics ??= observeHttp([this.registry]));
  }

  /** A role that calls image models reports every call to it. */
  get engines(): EngineObserver {
    return (this.engineMetrics ??= observeEngines([this.registry]));
  }

  /** From now on this process also exports the gauges of the whole installation. Call it at most once. */
  watchInstallation(sources: InstallationSources, times?: GaugeTimes): void {
    this.installation = new InstallationGauges([this.registry], sources, times);
  }

  /** The content type of {@link text}. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics in Prometheus' text format. */
  async text(): Promise<string> {
    await this.installation?.refresh();
    return this.registry.metrics();
  }
}

/** Makes counters of the name `atelier_{name}_total`. */
const counterIn =
  (registers: Registry[]) =>
  <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `atelier_${name}_total`, help, labelNames, registers });

/** An append on a healthy store takes some milliseconds; its deadline is 10 s. */
const appendSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of the reports of an event store. */
function observeEventStore(registers: Registry[]): Required<EventStoreObserver> {
  const counter = counterIn(registers);
  const appends = new Histogram({
    name: 'atelier_event_store_append_duration_seconds',
    help: 'How long appends took, retries included, by how they ended',
    labelNames: ['result'],
    buckets: appendSeconds,
    registers,
  });
  const retries = counter('event_store_retries', 'Calls that failed and were repeated', 'operation');
  const unknown = counter(
    'event_store_unknown_outcomes_resolved',
    'Appends whose answer was lost, and whose outcome was resolved later',
  );
  const resubscriptions = counter('event_store_resubscriptions', 'Subscriptions that were resumed');
  const reconnections = counter('event_store_reconnections', 'Lost connections that were replaced');
  const droppedSnapshots = counter(
    'event_store_snapshots_dropped',
    'Snapshots that were dropped, because they differ from what this service saved',
  );
  const unproven = counter(
    'event_store_unproven_events',
    'Reads of an event without proof that this service wrote it',
  );
  // The series exists from the start, so that its first increase is visible.
  appends.zero({ result: 'appended' });
  for (const operation of ['append', 'read']) retries.inc({ operation }, 0);
  return {
    appended: (durationMs, result) => appends.observe({ result }, durationMs / 1000),
    retried: (operation) => retries.inc({ operation }),
    unknownOutcomeResolved: () => unknown.inc(),
    resubscribed: () => resubscriptions.inc(),
    reconnected: () => reconnections.inc(),
    snapshotDropped: () => droppedSnapshots.inc(),
    unprovenEvent: () => unproven.inc(),
  };
}

/** One answer of the API. Each field has few values: the route is a template, never a path. */
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

/** A dispatch takes some milliseconds. If it waits for its job, or follows it, it may take a minute. */
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

function observeHttp(registers: Registry[]): HttpObserver {
  const durations = new Histogram({
    name: 'atelier_http_request_duration_seconds',
    help: 'How long requests took, from their headers to the last byte of their answers',
    labelNames: ['method', 'route', 'status'],
    buckets: seconds,
    registers,
  });
  const help = 'Answers to dispatches, by workflow and status code';
  const dispatches = counterIn(registers)('dispatches', help, 'workflow', 'status');
  return ({ method, route, status, durationMs, workflow }) => {
    const known = route !== undefined;
    // A client can invent methods and paths, so all unknown ones share one series.
    const labels = { method: known ? method : 'any', route: known ? route : 'unmatched' };
    const outcome = status === undefined ? 'aborted' : `${Math.floor(status / 100)}xx`;
    durations.observe({ ...labels, status: outcome }, durationMs / 1000);
    if (workflow !== undefined) dispatches.inc({ workflow, status: status ?? 'aborted' });
  };
}

/** How a job ended. `failed` has the code that the caller gets. */
export type JobEnd =
  { readonly outcome: 'succeeded' | 'cancelled' } | { readonly outcome: 'failed'; readonly code: string };

/** Reports of the events that this process wrote into the log, once for each new event. */
export interface OutcomeObserver {
  charged(environment: Environment, workflow: string, credits: number): void;
  refunded(environment: Environment, reason: string, credits: number): void;
  jobEnded(environment: Environment, workflow: string, end: JobEnd): void;
  /** The time that the engine took for a job that succeeded. */
  rendered(workflow: string, durationMs: number): void;
}

const renderSeconds = [0.25, 0.5, 1, 2, 3, 5, 7.5, 10, 15, 20, 30, 60, 120, 300];
const refundReasons = ['job-failed', 'job-cancelled', 'orphaned'];

function countOutcomes(registers: Registry[]): OutcomeObserver {
  const counter = counterIn(registers);
  const charges = counter('charges', 'Charges made', 'environment', 'workflow');
  const charged = counter('charged_credits', 'Credits charged', 'environment', 'workflow');
  const refunds = counter('refunds', 'Charges given back', 'environment', 'reason');
  const refunded = counter('refunded_credits', 'Credits given back', 'environment', 'reason');
  const ended = counter('jobs_finished', 'Jobs that ended', 'environment', 'workflow', 'outcome');
  const failures = counter('job_failures', 'Jobs that failed', 'environment', 'code');
  const renders = new Histogram({
    name: 'atelier_render_duration_seconds',
    help: 'How long the engine took for jobs that succeeded, by workflow',
    labelNames: ['workflow'],
    buckets: renderSeconds,
    registers,
  });
  // The series exists from the start, so that its first increase is visible.
  for (const environment of environments) {
    for (const reason of refundReasons) {
      refunds.inc({ environment, reason }, 0);
      refunded.inc({ environment, reason }, 0);
    }
  }
  return {
    charged: (environment, workflow, credits) => {
      charges.inc({ environment, workflow });
      charged.inc({ environment, workflow }, credits);
    },
    refunded: (environment, reason, credits) => {
      refunds.inc({ environment, reason });
      refunded.inc({ environment, reason }, credits);
    },
    jobEnded: (environment, workflow, end) => {
      ended.inc({ environment, workflow, outcome: end.outcome });
      if (end.outcome === 'failed') failures.inc({ environment, code: end.code });
    },
    rendered: (workflow, durationMs) => renders.observe({ workflow }, durationMs / 1000),
  };
}

/** Reports of this process's calls to image models. A model is named by its id in the registry. */
export interface EngineObserver {
  answered(model: string, outcome: string): void;
  /** A render has found no room at the model, and waits. */
  waits(model: string): void;
  /** Whether the model gets no calls at the moment. */
  rests(model: string, rests: boolean): void;
}

function observeEngines(registers: Registry[]): EngineObserver {
  const counter = counterIn(registers);
  const calls = counter('engine_calls', 'Calls of image models, by how they ended', 'model', 'outcome');
  const waits = counter(
    'engine_waits',
    'Attempts of renders that found no free place at their image model',
    'model',
  );
  const resting = new Gauge({
    name: 'atelier_engine_resting',
    help: '1 while this process does not call the image model, because its calls failed repeatedly',
    labelNames: ['model'],
    registers,
  });
  return {
    answered: (model, outcome) => calls.inc({ model, outcome }),
    waits: (model) => waits.inc({ model }),
    rests: (model, rests) => resting.set({ model }, Number(rests)),
  };
}
