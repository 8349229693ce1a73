import pg from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import { locationOf } from '#event-store/open-event-store.js';
import { inTime } from '#platform/retry.js';
import { LogWatch } from './log-watch.js';
import {
  lagsOf,
  readHalted,
  readPositions,
  type Consumer,
  type ConsumerPosition,
  type Lag,
} from './consumers.js';

export type ConsumerLevel = ConsumerPosition & Lag;

export interface InstallationOptions {
  /** The read models' database. */
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly store: EventStore;
  readonly consumers: readonly Consumer[];
  /** Whether this process can answer requests while the event store is away, and so should still get them. */
  readonly canDoWithoutStore?: () => boolean;
}

/** A check without an answer within this time counts as failed, because a probe and a scraper wait for it. */
const answerWithinMs = 1_500;

/**
 * One process's view of the whole installation. It opens its own connections at first use: one for levels and
 * one for probes. So a long query for levels does not make the process look unready.
 */
export class Installation {
  /** For looks at the read models' database. */
  readonly database: pg.Pool;
  /** Whether the checkpoints fit the log. */
  readonly log: LogWatch;
  /** For short statements of this process about itself. */
  readonly probes: pg.Pool;

  constructor(private readonly options: InstallationOptions) {
    this.database = oneConnection(options.databaseUrl, 'atelier-levels');
    this.probes = oneConnection(options.databaseUrl, 'atelier-probes');
    const { store, eventStoreUrl } = options;
    this.log = new LogWatch(this.probes, { store, place: locationOf(eventStoreUrl) });
  }

  /** How far each consumer of the log is. @throws what the store or the database throws */
  async consumers(): Promise<ConsumerLevel[]> {
    const { store, consumers, eventStoreUrl } = this.options;
    const positions = await readPositions(this.database, consumers);
    const positionsAreCounts = /^postgres(?:ql)?:/.test(eventStoreUrl);
    return lagsOf(positions, { store, positionsAreCounts, now: new Date() });
  }

  /**
   * The problems that keep this installation from serving, as texts for people. Empty when it is ready. Never
   * throws.
   */
  async problems(): Promise<string[]> {
    const [stores, halted] = await Promise.all([
      this.storeProblems(),
      answered(() => readHalted(this.probes)).catch((): string[] => []),
    ]);
    return [
      ...stores,
      ...(halted.length > 0 ? [`halted: ${halted.join(', ')}`] : []),
      ...(this.log.misfit === undefined ? [] : [this.log.misfit]),
    ];
  }

  /** The same for a process that needs the stores but not the read models. */
  async storeProblems(): Promise<string[]> {
    const problemUnless = (ask: () => Promise<unknown>, problem: string): Promise<string[]> =>
      answered(ask).then(
        () => [],
        () => [problem],
      );
    const [store, database] = await Promise.all([
      problemUnless(() => this.options.store.head(), 'the event store does not answer'),
      problemUnless(
        () => this.probes.query('select from read_store.projections limit 1'),
        'the database does not answer, or was not migrated',
      ),
    ]);
    if (database.length === 0 && this.options.canDoWithoutStore?.()) return [];
    return [...store, ...database];
  }

  async close(): Promise<void> {
    await Promise.all([this.database.end(), this.probes.end()]);
  }
}

function oneConnection(connectionString: string, name: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: 1,
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
    statement_timeout: answerWithinMs,
    application_name: name,
  });
  // A connection that breaks while idle is replaced at the next use.
  pool.on('error', () => undefined);
  return pool;
}

/** If a store is away, its retries take longer than a probe waits. */
function answered<T>(ask: () => Promise<T>): Promise<T> {
  return inTime(ask, answerWithinMs, () => new Error(`no answer within ${answerWithinMs} ms`));
}
