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

type MakeGauge = (name: string, help: string, labelNames: string[]) => Gauge;

function createGauges(registers: Registry[]) {
  const gauge: MakeGauge = (name, help, labelNames) =>
    new Gauge({ name: `atelier_${name}`, help, labelNames, registers });
  return {
    readable: gauge('installation_readable', 'Whether the source could be read', ['source']),
    readSeconds: gauge('installation_read_duration_seconds', 'How long the last reading took', []),
    consumers: consumerReadings(gauge),
    charges: chargeReadings(gauge),
    queues: queueReadings(gauge),
    processes: processReadings(gauge),
  };
}

function consumerReadings(gauge: MakeGauge): Reading<ConsumerGauges>[] {
  const reading = (
    kind: ConsumerGauges['kind'],
    name: string,
    help: string,
    value: (row: ConsumerGauges) => number,
  ) => {
    const label = kind.replace(' ', '_');
    const each = gauge(`${label}_${name}`, help, ['environment', label]);
    const set = (row: ConsumerGauges) => {
      if (row.kind === kind) each.set({ environment: row.environment, [label]: row.name }, value(row));
    };
    return { gauge: each, set };
  };
  const lag = (kind: ConsumerGauges['kind']) => [
    reading(kind, 'lag_events', 'Events of the log that it has not handled yet', ({ events }) => events),
    reading(
      kind,
      'lag_seconds',
      'Age of the oldest event that it has not handled yet',
      ({ seconds }) => seconds,
    ),
  ];
  const parked = 'Streams that are parked because an event cannot be folded';
  return [
    ...lag('projection'),
    reading('projection', 'halted', '1: it is halted until its fault is fixed', ({ halted }) =>
      Number(halted),
    ),
    reading('projection', 'parked_streams', parked, ({ parkedStreams }) => parkedStreams),
    ...lag('process manager'),
  ];
}

function chargeReadings(gauge: MakeGauge): Reading<ChargeGauges>[] {
  const reading = (name: string, help: string, key: Exclude<keyof ChargeGauges, 'environment'>) => {
    const each = gauge(name, help, ['environment']);
    const set = (row: ChargeGauges) => each.set({ environment: row.environment }, row[key]);
    return { gauge: each, set };
  };
  return [
    reading('open_charges', 'Charges that are neither settled nor given back', 'count'),
    reading('open_charges_credits', 'Credits of the open charges', 'credits'),
    reading('open_charges_oldest_age_seconds', 'Age of the oldest open charge', 'oldestSeconds'),
    reading(
      'orphaned_charges',
      'Open charges past the horizon that have no job, or one that has ended',
      'orphaned',
    ),
  ];
}

function queueReadings(gauge: MakeGauge): Reading<QueueGauges>[] {
  const reading = (name: string, help: string, key: 'tasks' | 'oldestSeconds') => {
    const each = gauge(`render_queue_${name}`, help, ['environment', 'state']);
    const set = (row: QueueGauges) => each.set({ environment: row.environment, state: row.state }, row[key]);
    return { gauge: each, set };
  };
  return [
    reading('tasks', 'Tasks of the render queue', 'tasks'),
    reading('oldest_age_seconds', 'How long the oldest task is in this state', 'oldestSeconds'),
  ];
}

function processReadings(gauge: MakeGauge): Reading<ProcessGauges>[] {
  // Each metric has the label `role`, which names the process that reports it.
  const each = gauge('processes', 'Processes by whether they give signs of life', ['process_role', 'state']);
  const reading = (state: 'alive' | 'silent'): Reading<ProcessGauges> => ({
    gauge: each,
    set: (row) => each.set({ process_role: row.role, state }, row[state]),
  });
  return [reading('alive'), reading('silent')];
}
