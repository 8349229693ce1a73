import type pg from 'pg';
import type { Environment } from '#domain/streams.js';
import { RebuildRefused } from './rebuild-refused.js';

const key = `hashtextextended('atelier.rebuild.' || $1, 0)`;

/**
 * Makes sure that nobody else rebuilds, compares or switches these read models while the connection lives. It ends with
 * the process, however that ends.
 * @throws RebuildRefused that says who does
 */
export async function lockReadModels(
  client: pg.Client,
  environment: Environment,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const values = [`${environment}.${name}`];
    const { rows } = await client.query<{ taken: boolean }>(
      `select pg_try_advisory_lock(${key}) as taken`,
      values,
    );
    if (rows[0]?.taken) continue;
    throw new RebuildRefused(`${values[0]} is being rebuilt already, by ${await holderOf(client, values)}`);
  }
}

/** PostgreSQL shows the two halves of an advisory lock's key. */
async function holderOf(client: pg.Client, values: readonly string[]): Promise<string> {
  const { rows } = await client.query<{ application: string; since: string; server: number }>(
    `select a.application_name as application, a.pid as server,
        to_char(a.backend_start at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
      from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())
        and (l.classid::bigint << 32) | l.objid::bigint = ${key}`,
    [...values],
  );
  const [holder] = rows;
  if (!holder) return 'a process that has just ended: try again';
  return `"${holder.application}" since ${holder.since} (PostgreSQL session ${holder.server})`;
}
