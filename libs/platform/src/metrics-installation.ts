import { Gauge, type Registry } from 'prom-client';
import { inTime } from './retry.js';

/** How far a projection or process manager is behind the log. */
export interface ConsumerGauges {
  readonly kind: 'projection' | 'process manager';
  readonly environment: string;
  readonly name: string;
  /** Events that it has not handled yet, and the age of the first of them. */
  readonly events: number;
  readonly seconds: number;
  readonly halted: boolean;
  readonly parkedStreams: number;
}

export interface ChargeGauges {
  readonly environment: string;
  readonly count: number;
  readonly credits: number;
  readonly oldestSeconds: number;
  readonly orphaned: number;
}

export interface QueueGauges {
  readonly environment: string;
  readonly state: string;
  readonly tasks: number;
  readonly oldestSeconds: number;
}

/** Processes of a role: those that give signs of life, and those that stopped without removing theirs. */
export interface ProcessGauges {
  readonly role: string;
  readonly alive: number;
  readonly silent: number;
}

/** Sources for the state that all processes share. Each may fail alone; its metrics are then absent. */
export interface InstallationSources {
  consumers(): Promise<readonly ConsumerGauges[]>;
  charges(): Promise<readonly ChargeGauges[]>;
  queues(): Promise<readonly QueueGauges[]>;
  processes(): Promise<readonly ProcessGauges[]>;
}

export interface GaugeTimes {
  /** Several scrapers, or an impatient one, cost one look. Default 2000. */
  readonly freshForMs?: number;
  /** How long a source may take before the scrape goes on without it. Default 3000. */
  readonly patienceMs?: number;
}

/**
 * Gauges of the whole installation. Every process that exports them reports the same values, so a query
 * combines them by `max`, never by `sum`. Each scrape reads them anew. So they are right even when the
 * processes that do the work do not run.
 */
export class InstallationGauges {
  private readonly gauges: ReturnType<typeof createGauges>;
  private looking: Promise<void> | undefined;
  private lookedAt = -Infinity;

  constructor(
    registers: Registry[],
    private readonly sources: InstallationSources,
    private readonly times: GaugeTimes = {},
  ) {
    this.gauges = createGauges(registers);
  }

  /**
   * Resolves when the gauges are up to date, or are absent because they could not be read in time. Never
   * throws.
   */
  async refresh(): Promise<void> {
    if (performance.now() - this.lookedAt < (this.times.freshForMs ?? 2_000)) return;
    this.looking ??= this.look().finally(() => {
      this.lookedAt = performance.now();
      this.looking = undefined;
    });
    await this.looking;
  }

  private async look(): Promise<void> {
    const startedAt = performance.now();
    const { readable, readSeconds, consumers, charges, queues, processes } = this.gauges;
    const { sources } = this;
    const { patienceMs = 3_000 } = this.times;
    const fill = async <Row>(
      source: string,
      look: () => Promise<readonly Row[]>,
      gauges: readonly Reading<Row>[],
    ) => {
      const rows = await inTime(look, patienceMs, () => new Error('late')).catch(() => undefined);
      readable.set({ source }, rows ? 1 : 0);
      // A value that cannot be read is absent, because the last value would look healthy.
      for (const { gauge } of gauges) gauge.reset();
      for (const row of rows ?? []) for (const { set } of gauges) set(row);
    };
    await Promise.all([
      fill('log', () => sources.consumers(), consumers),
      fill('ledger', () => sources.charges(), charges),
      fill('render_queue', () => sources.queues(), queues),
      fill('processes', () => sources.processes(), processes),
    ]);
    readSeconds.set((performance.now() - startedAt) / 1000);
  }
}

/** A gauge, and how a row of a source sets it. */
interface Reading<Row> {
  readonly gauge: Gauge;
  set(row: Row): void;
}

/** @param labelsOf the labels of a row; undefined: the row does not set the gauge */
const reading = <Row>(
  gauge: Gauge,
  labelsOf: (row: Row) => Readonly<Record<string, string>> | undefined,
  valueOf: (row: Row) => number | boolean,
): Reading<Row> => ({
  gauge,
  set(row) {
    const labels = labelsOf(row);
    if (labels) gauge.set(labels, Number(valueOf(row)));
  },
});

const parked = 'Streams that are parked because an event cannot be folded';
const orphaned = 'Open charges past the horizon that have no job, or one that has ended';

function createGauges(registers: Registry[]) {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `atelier_${name}`, help, labelNames, registers });
  const consumer =
    (kind: ConsumerGauges['kind'], label: 'projection' | 'process_manager') =>
    (name: string, help: string, valueOf: (row: ConsumerGauges) => number | boolean) =>
      reading(
        gauge(`${label}_${name}`, help, ['environment', label]),
        (row) => (row.kind === kind ? { environment: row.environment, [label]: row.name } : undefined),
        valueOf,
      );
  const projection = consumer('projection', 'projection');
  const manager = consumer('process manager', 'process_manager');
  const lag = (of: typeof projection) => [
    of('lag_events', 'Events of the log that it has not handled yet', (row) => row.events),
    of('lag_seconds', 'Age of the oldest event that it has not handled yet', (row) => row.seconds),
  ];
  const charge = (name: string, help: string, valueOf: (row: ChargeGauges) => number) =>
    reading(
      gauge(name, help, ['environment']),
      ({ environment }: ChargeGauges) => ({ environment }),
      valueOf,
    );
  const queue = (name: string, help: string, valueOf: (row: QueueGauges) => number) =>
    reading(
      gauge(`render_queue_${name}`, help, ['environment', 'state']),
      ({ environment, state }: QueueGauges) => ({ environment, state }),
      valueOf,
    );
  const readable = gauge('installation_readable', 'Whether the source could be read', ['source']);
  const readSeconds = gauge('installation_read_duration_seconds', 'How long the last reading took');
  const consumers = [
    ...lag(projection),
    projection('halted', '1: it is halted until its fault is fixed', (row) => row.halted),
    projection('parked_streams', parked, (row) => row.parkedStreams),
    ...lag(manager),
  ];
  const charges = [
    charge('open_charges', 'Charges that are neither settled nor given back', (row) => row.count),
    charge('open_charges_credits', 'Credits of the open charges', (row) => row.credits),
    charge('open_charges_oldest_age_seconds', 'Age of the oldest open charge', (row) => row.oldestSeconds),
    charge('orphaned_charges', orphaned, (row) => row.orphaned),
  ];
  const queues = [
    queue('tasks', 'Tasks of the render queue', (row) => row.tasks),
    queue('oldest_age_seconds', 'How long the oldest task is in this state', (row) => row.oldestSeconds),
  ];
  // Each metric has the label `role`, which names the process that reports it.
  const each = gauge('processes', 'Processes by whether they give signs of life', ['process_role', 'state']);
  const processes = (['alive', 'silent'] as const).map((state) =>
    reading(
      each,
      ({ role }: ProcessGauges) => ({ process_role: role, state }),
      (row) => row[state],
    ),
  );
  return { readable, readSeconds, consumers, charges, queues, processes };
}
