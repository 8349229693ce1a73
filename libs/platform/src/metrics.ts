import { collectDefaultMetrics, Registry } from 'prom-client';
import type { EventStoreObserver } from '#event-store/observer.js';
import {
  observeEventStore,
  observeHttp,
  type HttpObserver,
  countOutcomes,
  type OutcomeObserver,
} from './metrics-counters.js';
import { InstallationGauges, type GaugeTimes, type InstallationSources } from './metrics-installation.js';

/**
 * The metrics of one process, for Prometheus. Labels have a handful of values each: no tenant, no stream, no address and
 * no message is ever in one. `docs/metrics.md` lists them.
 */
export class Metrics {
  private readonly registry = new Registry();
  private installation: InstallationGauges | undefined;
  private httpMetrics: HttpObserver | undefined;
  /** To be handed to the event store. */
  readonly eventStore: EventStoreObserver;
  /** To be told of every event that this process has written. */
  readonly outcomes: OutcomeObserver;

  constructor(role: string) {
    const registers = [this.registry];
    this.registry.setDefaultLabels({ role });
    collectDefaultMetrics({ register: this.registry });
    this.eventStore = observeEventStore(registers);
    this.outcomes = countOutcomes(registers);
  }

  /** To be told of every answer, by a role that gives some. */
  get http(): HttpObserver {
    return (this.httpMetrics ??= observeHttp([this.registry]));
  }

  /** From now on this process tells about the installation as a whole too. To be called once at most. */
  watchInstallation(sources: InstallationSources, times?: GaugeTimes): void {
    this.installation = new InstallationGauges([this.registry], sources, times);
  }

  /** Of what {@link text} gives. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics in Prometheus' text format. */
  async text(): Promise<string> {
    await this.installation?.refresh();
    return this.registry.metrics();
  }
}
