import { Inject, Injectable } from '@nestjs/common';
import type { Environment } from '#domain/streams.js';
import type { Queries } from '#read-store/data-source.js';
import { Database } from '#read-store/database.js';
import type { QueueTransaction } from '#render-queue/render-queue.js';
import type { PushTask } from './push.task.js';

/**
 * A job's pictures on their way: `waiting` until the bucket has them (`pushed`), or no attempt is left (`failed`). An
 * erasure of the job and a change of the bucket begin it anew.
 */
export interface Push {
  readonly jobId: string;
  readonly tenant: string;
  readonly status: 'waiting' | 'pushed' | 'failed';
  readonly round: number;
  /** Attempts of this round that are over. */
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
}

/** The recent pushes of a tenant. */
export interface PushState {
  readonly waiting: number;
  readonly failed: number;
  readonly lastPushed: { readonly jobId: string; readonly at: string } | null;
  /** Of a job that its bucket does not have. */
  readonly lastError: { readonly jobId: string; readonly at: string; readonly error: string } | null;
}

export interface PushFailure {
  readonly error: string;
  /** Null: no attempt is left. */
  readonly retryAt: Date | null;
}

/** How long it is known that a job was pushed. */
export const pushRetentionDays = 30;

/** The most pushes that a change of a bucket begins anew. */
const mostReopened = 10_000;

const task = `tenant, job_id as "jobId", round`;

/** The state of the pushes, which is not in the log: the table `bucket_pushes` of each environment. */
@Injectable()
export class Pushes {
  constructor(@Inject(Database) private readonly database: Queries) {}

  /** Part of the caller's transaction, as the two below. @param jobs each once */
  async add(
    environment: Environment,
    jobs: readonly Pick<Push, 'jobId' | 'tenant'>[],
    transaction: QueueTransaction,
  ): Promise<PushTask[]> {
    if (jobs.length === 0) return [];
    const { rows } = await transaction.query(
      `insert into ${environment}.bucket_pushes as known (job_id, tenant) select * from unnest($1::text[], $2::text[])
         on conflict (job_id) do update
           set status = 'waiting', round = known.round + 1, attempts = 0, next_attempt_at = null, queued_at = now()
         returning ${task}`,
      [jobs.map(({ jobId }) => jobId), jobs.map(({ tenant }) => tenant)],
    );
    return asTasks(environment, rows);
  }

  /** Begins again what the bucket does not have. */
  async reopen(environment: Environment, tenant: string, transaction: QueueTransaction): Promise<PushTask[]> {
    const { rows } = await transaction.query(
      `update ${environment}.bucket_pushes
         set status = 'waiting', round = round + 1, attempts = 0, next_attempt_at = null, queued_at = now()
         where job_id in (select job_id from ${environment}.bucket_pushes
           where tenant = $1 and status <> 'pushed' order by queued_at limit ${mostReopened})
         returning ${task}`,
      [tenant],
    );
    return asTasks(environment, rows);
  }

  async forgetTenant(environment: Environment, tenant: string, transaction: QueueTransaction): Promise<void> {
    await transaction.query(`delete from ${environment}.bucket_pushes where tenant = $1`, [tenant]);
  }

  async find(environment: Environment, jobId: string): Promise<Push | undefined> {
    const [found] = await this.rows<Push>(
      `select ${task}, status, attempts, next_attempt_at as "nextAttemptAt"
         from ${environment}.bucket_pushes where job_id = $1`,
      [jobId],
    );
    return found;
  }

  /** Stores the end of an attempt, unless the push began anew meanwhile. */
  async record(
    environment: Environment,
    { jobId, round }: Push,
    at: Date,
    failure: PushFailure | undefined,
  ): Promise<void> {
    const status = failure ? (failure.retryAt ? 'waiting' : 'failed') : 'pushed';
    await this.rows(
      `update ${environment}.bucket_pushes
         set status = $3, attempts = attempts + 1, next_attempt_at = $4, error = $5,
           pushed_at = case when $3 = 'pushed' then $6 else pushed_at end,
           failed_at = case when $3 = 'pushed' then null else $6::timestamptz end
         where job_id = $1 and round = $2 and status = 'waiting'`,
      [jobId, round, status, failure?.retryAt ?? null, failure?.error ?? null, at],
    );
  }

  async stateOf(environment: Environment, tenant: string): Promise<PushState> {
    const rows = `${environment}.bucket_pushes where tenant = $1`;
    const [state] = await this.rows<PushState>(
      `select (select count(*)::integer from ${rows} and status = 'waiting') as waiting,
         (select count(*)::integer from ${rows} and status = 'failed') as failed,
         (select json_build_object('jobId', job_id, 'at', pushed_at)
           from ${rows} and status = 'pushed' order by pushed_at desc limit 1) as "lastPushed",
         (select json_build_object('jobId', job_id, 'at', failed_at, 'error', error)
           from ${rows} and status in ('waiting', 'failed') and error is not null
           order by failed_at desc limit 1) as "lastError"`,
      [tenant],
    );
    if (!state) throw new Error('a select without a table gave no row');
    return state;
  }

  /** Pushes that should have been attempted long ago: the queue may have lost their tasks. */
  async overdue(environment: Environment, before: Date, limit: number): Promise<PushTask[]> {
    const rows = await this.rows(
      `select ${task} from ${environment}.bucket_pushes
         where status = 'waiting' and coalesce(next_attempt_at, queued_at) < $1 limit $2`,
      [before, limit],
    );
    return asTasks(environment, rows);
  }

  /** Forgets pushes that ended, and began before this time. */
  async forgetBefore(environment: Environment, before: Date): Promise<void> {
    await this.rows(`delete from ${environment}.bucket_pushes where queued_at < $1 and status <> 'waiting'`, [
      before,
    ]);
  }

  private async rows<Row>(text: string, values: unknown[]): Promise<Row[]> {
    // Each statement names and types its columns for the code that reads them.
    return (await this.database.query(text, values)).rows as Row[];
  }
}

function asTasks(environment: Environment, rows: readonly unknown[]): PushTask[] {
  // The statements above name and type the columns.
  return (rows as Omit<PushTask, 'environment'>[]).map((row) => ({ environment, ...row }));
}
