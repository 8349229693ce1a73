import type { Db } from 'pg-boss';
import { schema } from './queue-levels.js';

/** PostgreSQL's largest integer. After two billion turns all tasks have this turn, and the older task comes first. */
const lastTurn = 2 ** 31 - 1;

/** Several processes may prepare at once: this lock lets them do it one by one. */
const preparationLock = 4_711_160_302n;

/**
 * Makes the table of turns beside pg-boss's own tables if it is missing. The turns of queues without waiting tasks
 * begin anew; that also removes tenants that left.
 */
export async function prepareFairTurns(db: Db, queues: readonly string[]): Promise<void> {
  await db.executeSql(`
    begin;
    select pg_advisory_xact_lock(${preparationLock});
    create table if not exists ${schema}.tenant_turn (
      queue text not null, tenant text not null, last integer not null, primary key (queue, tenant)
    );
    create index if not exists tenant_turn_last on ${schema}.tenant_turn (queue, last);
    commit`);
  await db.executeSql(
    `delete from ${schema}.tenant_turn t where queue = any($1) and not exists (
       select from ${schema}.job where name = t.queue and state < 'active' and not blocked)`,
    [queues],
  );
}

/**
 * The turn of each new task; lower turns are served first, the older task first where turns are equal. A tenant's tasks
 * get consecutive turns, and a new tenant joins at the turn that is served now. So a tenant with fifty waiting tasks
 * and a tenant with one alternate, and each other tenant overtakes a waiting task at most once a turn. This is
 * start-time fair queueing; every task counts as one unit of work.
 *
 * Its cost does not grow with the number of waiting tasks: the turn that is served now is the first entry of the index
 * that workers fetch by, and each tenant's last turn is one row.
 */
export async function fairTurns(db: Db, queue: string, tenants: readonly string[]): Promise<number[]> {
  const tasks = new Map<string, number>();
  for (const tenant of tenants) tasks.set(tenant, (tasks.get(tenant) ?? 0) + 1);
  const { rows } = await db.executeSql(
    `with served (turn) as (
       select coalesce(
         (select -priority::bigint from ${schema}.job where name = $1 and state < 'active' and not blocked
           order by priority desc limit 1),
         (select last::bigint + 1 from ${schema}.tenant_turn where queue = $1 order by last desc limit 1),
         0)
     )
     insert into ${schema}.tenant_turn (queue, tenant, last)
     select $1, new.tenant, least(${lastTurn}, greatest(turn, known.last::bigint + 1) + tasks - 1)
       from served, unnest($2::text[], $3::integer[]) as new (tenant, tasks)
       left join ${schema}.tenant_turn known on known.queue = $1 and known.tenant = new.tenant
     on conflict (queue, tenant) do update set last = excluded.last
     returning tenant, last`,
    [queue, [...tasks.keys()], [...tasks.values()]],
  );
  // The columns are named and typed by the statement above.
  const next = new Map(
    (rows as { tenant: string; last: number }[]).map(({ tenant, last }) => [
      tenant,
      last + 1 - (tasks.get(tenant) ?? 0),
    ]),
  );
  return tenants.map((tenant) => {
    const turn = next.get(tenant) ?? 0;
    next.set(tenant, turn + 1);
    return turn;
  });
}
