import { environments, type Environment } from '#domain/streams.js';
import type { Queries } from '#read-store/consumer-positions.js';

/** The charges of one environment that are neither settled nor given back, as far as the ledger knows. */
export interface OpenChargeLevel {
  readonly environment: Environment;
  readonly count: number;
  readonly credits: number;
  /** 0 when there is none. */
  readonly oldestSeconds: number;
  /** Those that are older than the horizon and have no job: the sweep should have given them back. */
  readonly orphaned: number;
}

const statement = environments
  .map(
    (environment) => `select '${environment}' as environment, count(*)::integer as count,
      coalesce(sum(charge.amount), 0)::float8 as credits,
      coalesce(greatest(0, extract(epoch from now() - min(charge.created_at))), 0)::float8 as "oldestSeconds",
      count(*) filter (
        where charge.created_at < now() - $1 * interval '1 millisecond'
          and not exists (select from ${environment}.jobs job where job.public_id = charge.job_id)
      )::integer as orphaned
    from ${environment}.ledger charge where charge.status = 'PENDING'`,
  )
  .join(' union all ');

/** Costs what the open charges cost, by their partial index, however long the ledger is. */
export async function readOpenCharges(
  database: Queries,
  orphanHorizonMs: number,
): Promise<OpenChargeLevel[]> {
  // The columns are named and typed by the statement.
  return (await database.query(statement, [orphanHorizonMs])).rows as OpenChargeLevel[];
}
