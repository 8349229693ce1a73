import { environments, type Environment } from '#domain/streams.js';
import { onlyRow } from '#platform/postgres.js';
import type { Queries } from '#read-store/data-source.js';
import type { QueueLevel, TaskState } from '#render-queue/render-queue.js';

// Present figures from the read models and the queues. The cost of each statement depends on open and new rows,
// not on those that ended long ago.

/** The job that has waited longest in one environment; null if none waits. */
export interface OldestJob {
  readonly env: Environment;
  readonly job_id: string;
  readonly tenant_id: string;
  readonly workflow: string;
  readonly model: string | null;
  readonly age_seconds: number;
}

const inBoth = (select: (environment: Environment) => string) =>
  environments.map((environment) => `(${select(environment)})`).join(' union all ');

/** Queries name and type their columns. */
async function rowsOf<Row>(database: Queries, text: string, values?: unknown[]): Promise<Row[]> {
  return (await database.query(text, values)).rows as Row[];
}

/** The jobs that wait the longest for their first attempt, of each environment. */
export const readOldestJobs = (database: Queries) =>
  rowsOf<OldestJob>(
    database,
    inBoth(
      (env) => `select '${env}' as env, public_id as job_id, tenant as tenant_id, operation as workflow,
          image_model as model, greatest(0, extract(epoch from now() - created_at))::integer as age_seconds
        from ${env}.jobs where finished_at is null and status = 'NOT_STARTED'
        order by created_at, public_id limit 1`,
    ),
  );

/** Jobs of one tenant and one image model that have not ended. */
export interface UnfinishedJobs {
  readonly env: Environment;
  readonly tenant_id: string;
  readonly model: string | null;
  /** Their first attempt has not begun. */
  readonly waiting: number;
  readonly rendering: number;
  /** Since the oldest of them was dispatched. */
  readonly oldest_seconds: number;
}

/** The number of groups that are read, those with the most jobs first. */
const mostGroups = 50;

export const readUnfinished = (database: Queries) =>
  rowsOf<UnfinishedJobs>(
    database,
    `${inBoth(
      (env) => `select '${env}' as env, tenant as tenant_id, image_model as model,
          (count(*) filter (where status = 'NOT_STARTED'))::integer as waiting,
          (count(*) filter (where status <> 'NOT_STARTED'))::integer as rendering,
          greatest(0, extract(epoch from now() - min(created_at)))::integer as oldest_seconds
        from ${env}.jobs where finished_at is null group by tenant, image_model`,
    )} order by rendering desc, waiting desc, tenant_id, model limit ${mostGroups}`,
  );

/** How many jobs ended in one way. */
export interface JobEnds {
  readonly env: Environment;
  /** Null: they succeeded. `CANCELLED`, or why they failed. */
  readonly error_code: string | null;
  readonly jobs: number;
}

/** Jobs that ended in the last hour. Photographs are counted, but not the parent of their batch. */
export const readEnds = (database: Queries) =>
  rowsOf<JobEnds>(
    database,
    inBoth(
      (env) => `select '${env}' as env, error->>'code' as error_code, count(*)::integer as jobs
        from ${env}.jobs where finished_at >= now() - interval '1 hour' and charge_id is not null
        group by error->>'code'`,
    ),
  );

/** The calls of one image model. */
export interface ModelSpend {
  readonly model: string;
  readonly calls: number;
  /** Answered with something other than a picture. */
  readonly failed: number;
  readonly price: number;
}

/** The figures of one environment. */
export interface Day {
  readonly env: Environment;
  /** Credits of jobs that ended. */
  readonly creditsTaken: number;
  readonly creditsReturned: number;
  readonly models: readonly ModelSpend[];
}

/** Calls that were made and jobs that ended in the last 24 hours; the live environment first. */
export const readDay = (database: Queries): Promise<Day[]> =>
  Promise.all(
    environments.map(async (env) => {
      const models = rowsOf<ModelSpend>(
        database,
        `select model, count(*)::integer as calls,
            (count(*) filter (where outcome <> 'answered'))::integer as failed,
            coalesce(sum(price_micros), 0)::float8 / 1e6 as price
          from ${env}.calls where called_at >= now() - interval '24 hours' group by model order by price desc, model`,
      );
      const credits = rowsOf<Pick<Day, 'creditsTaken' | 'creditsReturned'>>(
        database,
        `select coalesce(sum(credits_cost), 0)::float8 as "creditsTaken",
            coalesce(sum(credits_cost) filter (where status = 'FAILURE'), 0)::float8 as "creditsReturned"
          from ${env}.jobs where finished_at >= now() - interval '24 hours' and charge_id is not null`,
      );
      return { env, ...onlyRow({ rows: await credits }), models: await models };
    }),
  );

/** A worker takes a task sooner than this unless others are under way. */
export const queuePatienceSeconds = 30;

/** The tasks of one environment. @param levels of all environments and states */
export function levelsOf(env: Environment, levels: readonly QueueLevel[]) {
  const of = (state: TaskState) => levels.find((level) => level.environment === env && level.state === state);
  return {
    env,
    waiting: of('waiting')?.tasks ?? 0,
    delayed: of('delayed')?.tasks ?? 0,
    active: of('active')?.tasks ?? 0,
    oldest_seconds: Math.round(of('waiting')?.oldestSeconds ?? 0),
  };
}

/** To four digits behind the point. */
export const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
