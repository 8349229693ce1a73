import { environments, type Environment } from '#domain/streams.js';
import type { Health } from '#operator-calls/health.js';
import type { Queries } from '#read-store/data-source.js';

/** The pushes of one environment that have not ended well. */
export interface PushLevel {
  readonly env: Environment;
  /** Their time has come. */
  readonly due: number;
  /** The age of the oldest one that is due; 0 if none is. */
  readonly oldest_due_seconds: number;
  /** Given up in the last 24 hours. */
  readonly failed: number;
  /** To so many buckets. */
  readonly failing_buckets: number;
}

/** A sender takes a push sooner than this unless others are under way. */
const patienceSeconds = 300;

const dueAt = 'coalesce(next_attempt_at, queued_at)';

async function readPushLevels(database: Queries): Promise<PushLevel[]> {
  const { rows } = await database.query(
    environments
      .map(
        (env) => `(select '${env}' as env,
            (count(*) filter (where status = 'waiting' and ${dueAt} <= now()))::integer as due,
            coalesce(greatest(0, extract(epoch from now() - min(${dueAt}) filter (where status = 'waiting'))), 0)::integer
              as oldest_due_seconds,
            (count(*) filter (where status = 'failed'))::integer as failed,
            (count(distinct tenant) filter (where status = 'failed'))::integer as failing_buckets
          from ${env}.bucket_pushes
          where status = 'waiting' or (status = 'failed' and failed_at > now() - interval '1 day'))`,
      )
      .join(' union all '),
  );
  // The statement names and types its columns.
  return rows as PushLevel[];
}

function line(levels: readonly PushLevel[]): string {
  const of = ({ env, due, failed }: PushLevel) => `${env} ${due}${failed > 0 ? ` (${failed} failed)` : ''}`;
  return `pushes to buckets due: ${levels.map(of).join(', ')}`;
}

export const bucketsHealth: Health<PushLevel[]> = {
  checks: [],
  status: async ({ database }) => line(await readPushLevels(database)),
  facts: ({ database }) => readPushLevels(database),
  // A push that failed is its tenant's to mend: GET /v1/bucket tells them why.
  reasons: (levels) =>
    levels
      .filter(({ oldest_due_seconds: oldest }) => oldest > patienceSeconds)
      .map(({ env, due, oldest_due_seconds: oldest }) => {
        return { env, detail: `${due} pushes to buckets are due, the first for ${oldest} s` };
      }),
  line,
};
