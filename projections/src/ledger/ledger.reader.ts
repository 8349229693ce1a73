import { MoreThanOrEqual, type DataSource } from 'typeorm';
import { readPage, type Page, type PageRequest } from '../page.js';
import { JobRow } from '../jobs/jobs.entity.js';
import { LedgerRow } from './ledger.entity.js';

/** A charge that is still open although no job came of it, as far as the read models know. */
export interface OpenCharge {
  readonly tenant: string;
  readonly chargeId: string;
  readonly jobId: string;
  /** In credits. */
  readonly amount: number;
  readonly createdAt: Date;
}

/** The credit ledger of one environment. */
export class LedgerReader {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first, in the order of the account's own stream. */
  list(tenant: string, page: PageRequest): Promise<Page<LedgerRow>> {
    const query = this.rows
      .createQueryBuilder('ledger')
      .where('ledger.tenant = :tenant', { tenant })
      .orderBy('ledger.revision', 'DESC');
    return readPage(query, page);
  }

  /** What the ledger says the balance is, in credits. */
  async sum(tenant: string): Promise<number> {
    return (await this.rows.sum('creditsDelta', { tenant })) ?? 0;
  }

  /** What was charged since then for operations and not given back, in credits. */
  async spentSince(tenant: string, since: Date): Promise<number> {
    const ofOperations = { tenant, kind: 'operation' as const, createdAt: MoreThanOrEqual(since) };
    return 0 - ((await this.rows.sum('creditsDelta', ofOperations)) ?? 0);
  }

  /**
   * Candidates for the sweep, of all tenants, oldest first: charges open since before `before` whose job is not in
   * the jobs read model. Only candidates: the read models may be behind, and the fence on the job's stream decides.
   * `after` is the last one of the page before.
   */
  async openChargesOlderThan(before: Date, limit: number, after?: OpenCharge): Promise<OpenCharge[]> {
    const query = this.rows
      .createQueryBuilder('ledger')
      .leftJoin(JobRow, 'job', 'job.publicId = ledger.jobId')
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

  private get rows() {
    return this.dataSource.getRepository(LedgerRow);
  }
}
