import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { sweepOrphans, type OrphanSweepOptions } from '#application/process-managers/orphan-sweep.js';
import type { Environment } from '#domain/streams.js';
import { LedgerReader } from '#projections/ledger/ledger.reader.js';
import { readModelEntities } from '#projections/read-models.js';
import { createDataSource } from '#read-store/data-source.js';
import { PostgresIdempotencyStore } from '#read-store/idempotency-store.js';
import { PostgresRateLimitStore } from '#read-store/rate-limit-store.js';

export interface HousekeepingDependencies extends Omit<
  OrphanSweepOptions,
  'environment' | 'openCharges' | 'signal'
> {
  /** The read models' database. */
  readonly databaseUrl: string;
  readonly sweepIntervalMs: number;
}

/**
 * What has to be done from time to time in one environment: giving orphaned charges back, and forgetting old
 * Idempotency-Keys and buckets of the rate limit. Needs no lock: two projectors that do it at the same time do no harm.
 */
export class Housekeeping {
  constructor(
    private readonly environment: Environment,
    private readonly dependencies: HousekeepingDependencies,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const { environment } = this;
    const { databaseUrl: url, logger, sweepIntervalMs } = this.dependencies;
    const dataSource = createDataSource({
      ...{ url, schema: environment, entities: readModelEntities },
      poolSize: 1,
    });
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    // A connection that breaks while idle is replaced at the next use.
    pool.on('error', () => undefined);
    try {
      while (await pause(sweepIntervalMs, signal)) {
        try {
          await this.round(dataSource, pool, signal);
        } catch (error) {
          logger.error({ err: error, environment }, 'housekeeping failed and will be tried again');
        }
      }
    } finally {
      if (dataSource.isInitialized) await dataSource.destroy();
      await pool.end();
    }
  }

  private async round(dataSource: DataSource, pool: pg.Pool, signal: AbortSignal): Promise<void> {
    if (!dataSource.isInitialized) await dataSource.initialize();
    const { environment } = this;
    const openCharges = new LedgerReader(dataSource);
    await sweepOrphans({ ...this.dependencies, environment, openCharges, signal });
    await new PostgresIdempotencyStore(pool).forgetExpired(environment);
    await new PostgresRateLimitStore(pool).forgetEmpty();
  }
}

/** False when it was cut short by the signal. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return sleep(milliseconds, true, { signal }).catch(() => false);
}
