import { Injectable } from '@nestjs/common';
import type { Environment } from '#domain/streams.js';
import { Database } from '#read-store/database.js';
import { foldedWithin } from '#read-store/rows-as-of.js';
import type { KnownRelease } from './release.js';
import { releaseOfRow, type StoredRelease } from './stored-release.js';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

interface ReleasesFilter extends Page {
  readonly dataSubject?: string | undefined;
  readonly status?: KnownRelease['status'] | undefined;
}

/** ISO 8601. Absent: without a bound. */
export interface Period {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** A job that was queued under a release. */
export interface ReleaseUse {
  readonly jobId: string;
  readonly operation: string;
  readonly status: 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';
  readonly usedAt: string;
  /** The revision of the release whose terms permitted it. */
  readonly releaseRevision: number;
}

/** A job that no worker has taken up. */
export interface WaitingJob {
  readonly jobId: string;
  readonly tenant: string;
  readonly operation: string;
}

/** Parents of batches do not count: their photographs do. */
const countedUses = `use.kind = 'job' and ($2::timestamptz is null or use.used_at >= $2) and ($3::timestamptz is null or use.used_at < $3)`;

/** How long a read waits for the read models to have an event. */
const patienceMs = 2_000;

/** Releases and their uses, by SQL. */
@Injectable()
export class ReleasesReader {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async list(
    environment: Environment,
    tenant: string,
    { dataSubject, status, limit, offset }: ReleasesFilter,
  ) {
    const where = `tenant = $1 and ($2::text is null or data_subject = $2) and ($3::text is null or status = $3)`;
    const filter = [tenant, dataSubject ?? null, status ?? null];
    const [rows, [counted]] = await Promise.all([
      this.rows<StoredRelease>(
        `select * from ${environment}.releases where ${where} order by granted_at desc, release_id desc limit $4 offset $5`,
        [...filter, limit, offset],
      ),
      this.rows<{ total: number }>(
        `select count(*)::integer as total from ${environment}.releases where ${where}`,
        filter,
      ),
    ]);
    return { items: rows.map(releaseOfRow), total: counted?.total ?? 0 };
  }

  /** Newest first. The release must be the caller's own. */
  async uses(environment: Environment, releaseId: string, { since, until }: Period, { limit, offset }: Page) {
    const filter = [releaseId, since ?? null, until ?? null];
    const [rows, [counted]] = await Promise.all([
      this.rows<Omit<ReleaseUse, 'usedAt'> & { usedAt: Date }>(
        `select use.job_id as "jobId", use.operation, coalesce(job.status, 'NOT_STARTED') as status,
            use.used_at as "usedAt", use.release_revision as "releaseRevision"
          from ${environment}.release_uses use left join ${environment}.jobs job on job.public_id = use.job_id
          where use.release_id = $1 and ${countedUses}
          order by use.used_at desc, use.job_id desc limit $4 offset $5`,
        [...filter, limit, offset],
      ),
      this.rows<{ total: number }>(
        `select count(*)::integer as total from ${environment}.release_uses use where use.release_id = $1 and ${countedUses}`,
        filter,
      ),
    ]);
    const items = rows.map((row): ReleaseUse => ({ ...row, usedAt: row.usedAt.toISOString() }));
    return { items, total: counted?.total ?? 0 };
  }

  /** How many jobs have succeeded under each revision of the release. */
  succeeded(environment: Environment, releaseId: string, { since, until }: Period) {
    return this.rows<{ releaseRevision: number; jobs: number }>(
      `select use.release_revision as "releaseRevision", count(*)::integer as jobs
        from ${environment}.release_uses use join ${environment}.jobs job on job.public_id = use.job_id
        where use.release_id = $1 and job.status = 'SUCCESS' and ${countedUses} group by 1 order by 1`,
      [releaseId, since ?? null, until ?? null],
    );
  }

  /**
   * The jobs under a release that no worker has taken up, batches included, once the read models have the event at
   * this position. If they stay behind for two seconds, those that they have.
   */
  async waiting(environment: Environment, releaseId: string, position: bigint): Promise<WaitingJob[]> {
    await foldedWithin(patienceMs, this.database, environment, ['jobs', 'release_uses'], position);
    return this.rows<WaitingJob>(
      `select job.public_id as "jobId", job.tenant, job.operation
        from ${environment}.release_uses use join ${environment}.jobs job on job.public_id = use.job_id
        where use.release_id = $1 and job.status = 'NOT_STARTED' order by 1`,
      [releaseId],
    );
  }

  /** Jobs that no worker has taken up, under releases that have ended. The oldest first. */
  leftBehind(environment: Environment, limit: number): Promise<WaitingJob[]> {
    return this.rows<WaitingJob>(
      `select distinct job.public_id as "jobId", job.tenant, job.operation
        from ${environment}.jobs job
        join ${environment}.release_uses use on use.job_id = job.public_id
        join ${environment}.releases release on release.release_id = use.release_id
        where job.finished_at is null and job.data_subjects is not null and job.status = 'NOT_STARTED'
          and release.status <> 'active' order by 1 limit $1`,
      [limit],
    );
  }

  /** Releases whose expiry has come and is not recorded yet. The oldest first. */
  due(environment: Environment, now: Date, limit: number): Promise<{ releaseId: string; tenant: string }[]> {
    return this.rows(
      `select release_id as "releaseId", tenant from ${environment}.releases
        where status = 'active' and expires_at is not null and expires_at <= $1 order by expires_at limit $2`,
      [now, limit],
    );
  }

  private async rows<Row>(text: string, values: unknown[]): Promise<Row[]> {
    // The statement names the columns of its rows.
    return (await this.database.query(text, values)).rows as Row[];
  }
}
