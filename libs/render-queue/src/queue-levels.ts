import { environments, type Environment } from '#domain/streams.js';
import type { QueueLevel, QueueTransaction, ReadQueueLevels, TaskState } from './render-queue.js';

export const schema = 'pgboss';

/** Remote renders have a queue of their own. */
export function queueName(environment: Environment, remote = false): string {
  return `render-${environment}${remote ? '-remote' : ''}`;
}

export const queueNames = environments.flatMap((environment) => [
  queueName(environment),
  queueName(environment, true),
]);

const states: readonly TaskState[] = ['waiting', 'delayed', 'active'];

/**
 * SQL: the jobs of an environment with an unfinished task. It uses the two partial indexes that workers fetch by, so
 * that ended tasks, which stay for ten minutes, cost nothing.
 */
export function openTasks(environment: Environment): string {
  const ofQueue = (name: string, condition: string) =>
    `select data->>'jobId' as job_id from ${schema}.job where name = '${name}' and ${condition}`;
  return [queueName(environment), queueName(environment, true)]
    .flatMap((name) => [
      ofQueue(name, `state < 'active' and not blocked`),
      ofQueue(name, `state = 'active' and group_id is not null`),
    ])
    .join(' union all ');
}

/**
 * The levels of the queues in pg-boss, without loading pg-boss. It uses the two partial indexes that workers fetch by,
 * so that ended tasks, which stay for ten minutes, cost nothing.
 */
export function pgBossQueueLevels(database: QueueTransaction): ReadQueueLevels {
  return async () => {
    const { rows } = await database.query(
      `select split_part(name, '-', 2) as environment, state, count(*)::integer as tasks,
          greatest(0, extract(epoch from now() - min(since)))::float8 as "oldestSeconds"
        from (
          select name, case when start_after <= now() then 'waiting' else 'delayed' end as state,
              case when start_after <= now() then greatest(created_on, start_after) else created_on end as since
            from ${schema}.job where name = any($1) and state < 'active' and not blocked
          union all
          select name, 'active', started_on
            from ${schema}.job where name = any($1) and state = 'active' and group_id is not null
        ) task group by environment, state`,
      [queueNames],
    );
    // The columns are named and typed by the statement above.
    const found = rows as QueueLevel[];
    return environments.flatMap((environment) =>
      states.map(
        (state) =>
          found.find((level) => level.environment === environment && level.state === state) ?? {
            environment,
            state,
            tasks: 0,
            oldestSeconds: 0,
          },
      ),
    );
  };
}
