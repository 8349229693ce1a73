import { environments, type Environment } from '#domain/streams.js';
import type { Health } from '#operator-calls/health.js';
import type { Queries } from '#read-store/data-source.js';

/** The deliveries of one environment that have not ended. */
export interface DeliveryLevel {
  readonly env: Environment;
  readonly pending: number;
  /** Their time has come. */
  readonly due: number;
  /** The age of the oldest one that is due; 0 if none is. */
  readonly oldest_due_seconds: number;
  readonly failing_endpoints: number;
}

/** A sender takes a delivery sooner than this unless others are under way. */
const patienceSeconds = 60;

const dueAt = 'coalesce(next_attempt_at, resent_at, created_at)';

async function readDeliveryLevels(database: Queries): Promise<DeliveryLevel[]> {
  const { rows } = await database.query(
    environments
      .map(
        (env) => `(select '${env}' as env, count(*)::integer as pending,
            (count(*) filter (where ${dueAt} <= now()))::integer as due,
            coalesce(greatest(0, extract(epoch from now() - min(${dueAt}))), 0)::integer as oldest_due_seconds,
            (select count(*)::integer from ${env}.webhook_health where failing_since is not null) as failing_endpoints
          from ${env}.webhook_deliveries where status = 'pending')`,
      )
      .join(' union all '),
  );
  // The statement names and types its columns.
  return rows as DeliveryLevel[];
}

function line(levels: readonly DeliveryLevel[]): string {
  const of = ({ env, due, failing_endpoints: failing }: DeliveryLevel) =>
    `${env} ${due}${failing > 0 ? ` (${failing} endpoints fail)` : ''}`;
  return `webhook deliveries due: ${levels.map(of).join(', ')}`;
}

export const webhooksHealth: Health<DeliveryLevel[]> = {
  checks: [],
  status: async ({ database }) => line(await readDeliveryLevels(database)),
  facts: ({ database }) => readDeliveryLevels(database),
  reasons: (levels) =>
    levels
      .filter(({ oldest_due_seconds: oldest }) => oldest > patienceSeconds)
      .map(({ env, due, oldest_due_seconds: oldest }) => {
        return { env, detail: `${due} webhook deliveries are due, the first for ${oldest} s` };
      }),
  line,
};
