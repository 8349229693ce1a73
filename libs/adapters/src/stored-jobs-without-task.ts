import { JobsWithoutTask, type JobWithoutTask } from '#application/read-models.js';
import type { Environment } from '#domain/streams.js';
import { sqlState } from '#platform/postgres.js';
import type { Queries } from '#read-store/data-source.js';
import { openTasks } from '#render-queue/queue-levels.js';
import type { RenderQueue } from '#render-queue/render-queue.js';

/**
 * Joins two partial indexes, one of the unfinished jobs and one of the open tasks. So ended jobs and tasks cost
 * nothing.
 */
const statement = (environment: Environment) => `
  with task as materialized (${openTasks(environment)}),
    unfinished as materialized (
      select public_id, tenant, parent_job_id, greatest(created_at, started_at) as taken_up_at
        from ${environment}.jobs where finished_at is null)
  select public_id as "jobId", tenant, parent_job_id as "parentJobId" from unfinished job
    where taken_up_at <= now() - $1 * interval '1 millisecond'
      and not exists (select from task where job_id = job.public_id)
      and not exists (select from task where job_id = job.parent_job_id)
      and not exists (
        select from unfinished child join task on job_id = child.public_id where child.parent_job_id = job.public_id)
    order by taken_up_at, public_id`;

/** @throws what the database throws: 42P01 or 3F000 if the queue is gone */
export async function readJobsWithoutTask(
  database: Queries,
  environment: Environment,
  forMs = 0,
): Promise<readonly JobWithoutTask[]> {
  // The columns are named by the statement.
  return (await database.query(statement(environment), [forMs])).rows as JobWithoutTask[];
}

/** If the queue is gone, has it made anew. All unfinished jobs are then without a task. */
export class StoredJobsWithoutTask implements JobsWithoutTask {
  constructor(
    private readonly database: Queries,
    private readonly queue: Pick<RenderQueue, 'repair'>,
  ) {}

  async find(environment: Environment): Promise<readonly JobWithoutTask[]> {
    try {
      return await readJobsWithoutTask(this.database, environment);
    } catch (error) {
      if (!['42P01', '3F000'].includes(sqlState(error) ?? '')) throw error;
      await this.queue.repair();
      return await readJobsWithoutTask(this.database, environment);
    }
  }
}
