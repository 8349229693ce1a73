import pg from 'pg';
import { answerWithinMs } from './check.js';

export interface QueueStatus {
  readonly env: string;
  readonly waiting: number;
  readonly active: number;
  /** How long the first task that may be taken has been waiting. */
  readonly oldest_seconds: number | null;
}

/** With a worker at all, a task is taken within seconds unless others are being rendered. */
const patienceSeconds = 30;

/** What waits to be rendered, and what is being rendered. */
export async function readQueue(databaseUrl: string): Promise<QueueStatus[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<QueueStatus>(
      `select substr(q.name, 8) as env,
          count(*) filter (where j.state < 'active')::integer as waiting,
          count(*) filter (where j.state = 'active')::integer as active,
          round(extract(epoch from now() - min(greatest(j.created_on, j.start_after))
            filter (where j.state < 'active' and j.start_after <= now())))::integer as oldest_seconds
        from pgboss.queue q left join pgboss.job j on j.name = q.name
        where q.name like 'render-%' group by q.name order by q.name`,
    );
    return rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** @throws Error when tasks wait and nobody works */
export function judgeQueue(queues: readonly QueueStatus[]): string {
  if (queues.length === 0) throw new Error('not there yet: no worker or projector has ever run');
  const idle = queues.filter(
    ({ active, oldest_seconds: oldest }) => active === 0 && (oldest ?? 0) > patienceSeconds,
  );
  if (idle.length > 0)
    throw new Error(
      idle
        .map(
          (each) =>
            `${each.env}: ${each.waiting} wait, the first for ${each.oldest_seconds} s, and nobody renders`,
        )
        .join('; '),
    );
  return queues
    .map(({ env, waiting, active }) => `${env}: ${waiting} waiting, ${active} rendering`)
    .join('; ');
}
