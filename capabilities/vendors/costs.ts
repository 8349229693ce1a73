import type { Environment } from '#domain/streams.js';
import type { Queries } from '#read-store/data-source.js';

/** The groups in which costs can be summed. */
export const costGroups = ['tenant', 'workflow', 'model'] as const;
export type CostGroup = (typeof costGroups)[number];

export interface CostLine {
  readonly group: string;
  readonly jobs: number;
  readonly creditsTaken: number;
  readonly creditsReturned: number;
  readonly calls: number;
  /** The price that vendors took, in millionths of the registry's currency. */
  readonly priceMicros: number;
  /** Jobs that were refunded although their calls cost money. */
  readonly lostJobs: number;
  readonly lostMicros: number;
}

const columns: Readonly<Record<CostGroup, string>> = {
  tenant: 'job.tenant',
  workflow: 'job.operation',
  // The model of the last call, which may be a fallback.
  model: `coalesce(cost.model, job.image_model, '')`,
};

/**
 * The jobs of one environment with their credits, refunds and costs. The photographs of a batch are charged,
 * but not its parent.
 */
const jobsOf = (environment: Environment, by: CostGroup) => `
  select ${columns[by]} as grouped, case when job.charge_id is null then 0 else job.credits_cost end as credits,
      job.status = 'FAILURE' as returned, coalesce(cost.calls, 0) as calls, coalesce(cost.micros, 0) as micros
    from ${environment}.jobs job left join (
      select job_id, count(*) as calls, sum(price_micros) as micros,
          (array_agg(model order by called_at desc, call desc))[1] as model
        from ${environment}.calls group by job_id
    ) cost on cost.job_id = job.public_id
    where job.created_at >= $1 and job.created_at <= $2`;

/**
 * Credits, refunds and costs of the jobs that were queued in a period, at any time of their end. The most
 * expensive group comes first.
 */
export async function sumCosts(
  database: Queries,
  environment: Environment,
  by: CostGroup,
  [from, to]: readonly [from: Date, to: Date],
): Promise<CostLine[]> {
  const { rows } = await database.query(
    `select grouped as "group", count(*)::integer as jobs, sum(credits)::float8 as "creditsTaken",
        coalesce(sum(credits) filter (where returned), 0)::float8 as "creditsReturned", sum(calls)::integer as calls,
        sum(micros)::float8 as "priceMicros", (count(*) filter (where returned and micros > 0))::integer as "lostJobs",
        coalesce(sum(micros) filter (where returned), 0)::float8 as "lostMicros"
      from (${jobsOf(environment, by)}) job
      group by grouped order by sum(micros) desc, grouped`,
    [from, to],
  );
  // The statement names and types its columns.
  return rows as CostLine[];
}
