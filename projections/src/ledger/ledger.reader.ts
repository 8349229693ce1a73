import { MoreThanOrEqual } from 'typeorm';
import type { OpenCharges, OrphanCandidate, Page, PageRequest } from '#application/read-models.js';
import { environments, type Environment } from '#domain/streams.js';
import type { Queries } from '#read-store/data-source.js';
import { JobRow } from '../jobs/jobs.read-model.js';
import { readerOf, readPage } from '../readers.js';
import { LedgerRow } from './ledger.read-model.js';

/** An open charge for which the read models show no job, or a job that has ended. */
export interface OverdueCharge extends OrphanCandidate {
  /** In credits. */
  readonly amount: number;
}

/** The credit ledger of one environment. */
export class LedgerReader extends readerOf(LedgerRow) implements OpenCharges<OverdueCharge> {
  /** Newest first, in the order of the account's own stream. */
  list(tenant: string, page: PageRequest): Promise<Page<LedgerRow>> {
    return readPage(this.newest({ tenant }, 'revision'), page);
  }

  /** The charge or the purchase with this id, of any tenant. */
  find(id: string): Promise<LedgerRow | null> {
    return this.rows.findOneBy({ id });
  }

  async balance(tenant: string): Promise<number> {
    return (await this.rows.sum('creditsDelta', { tenant })) ?? 0;
  }

  /** The credits charged for operations since then and not refunded. */
  async spentSince(tenant: string, since: Date): Promise<number> {
    const ofOperations = { tenant, kind: 'operation' as const, createdAt: MoreThanOrEqual(since) };
    return 0 - ((await this.rows.sum('creditsDelta', ofOperations)) ?? 0);
  }

  /**
   * Candidates for the sweep, of all tenants, oldest first: charges open since before `before` whose job is not
   * in the jobs read model, or ended before it. They are only candidates: the read models may lag, and the
   * job's stream decides. `after` is the last candidate of the previous page.
   */
  async openChargesOlderThan(before: Date, limit: number, after?: OverdueCharge): Promise<OverdueCharge[]> {
    const query = this.rows
      .createQueryBuilder('ledger')
      .leftJoin(
        JobRow,
        'job',
        'job.publicId = ledger.jobId and (job.finishedAt is null or job.finishedAt >= :before)',
      )
      .where("ledger.status = 'PENDING'")
      .andWhere('ledger.createdAt < :before', { before })
      .andWhere('job.publicId is null')
      .orderBy({ 'ledger.createdAt': 'ASC', 'ledger.id': 'ASC' })
      .limit(limit);
    if (after) {
      const { createdAt, chargeId } = after;
      query.andWhere('(ledger.createdAt, ledger.id) > (:createdAt, :chargeId)', { createdAt, chargeId });
    }
    return (await query.getMany()).map(({ tenant, id, jobId, amount, createdAt }) => {
      if (jobId === null) throw new Error(`the charge ${id} names no job`);
      return { tenant, chargeId: id, jobId, amount, createdAt };
    });
  }
}

/** The charges of one environment that are neither settled nor refunded, according to the ledger. */
export interface OpenChargeLevel {
  readonly environment: Environment;
  readonly count: number;
  readonly credits: number;
  /** 0 when there is none. */
  readonly oldestSeconds: number;
  /**
   * Charges that are older than the horizon and have no job, or a job that ended before it. The sweep should
   * have closed them.
   */
  readonly orphaned: number;
}

const statement = environments
  .map(
    (environment) => `select '${environment}' as environment, count(*)::integer as count,
      coalesce(sum(charge.amount), 0)::float8 as credits,
      coalesce(greatest(0, extract(epoch from now() - min(charge.created_at))), 0)::float8 as "oldestSeconds",
      count(*) filter (
        where charge.created_at < now() - $1 * interval '1 millisecond'
          and not exists (
            select from ${environment}.jobs job where job.public_id = charge.job_id
              and (job.finished_at is null or job.finished_at >= now() - $1 * interval '1 millisecond'))
      )::integer as orphaned
    from ${environment}.ledger charge where charge.status = 'PENDING'`,
  )
  .join(' union all ');

/** The cost grows with the number of open charges, through their partial index, and not with the ledger. */
export async function readOpenCharges(
  database: Queries,
  orphanHorizonMs: number,
): Promise<OpenChargeLevel[]> {
  // The columns are named and typed by the statement.
  return (await database.query(statement, [orphanHorizonMs])).rows as OpenChargeLevel[];
}
