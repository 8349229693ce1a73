import type pg from 'pg';

/**
 * Who holds an advisory lock keeps it for as long as its connection is open, and a process that is paused, or whose
 * machine has vanished, may keep its connection open for hours. So a holder shows that it lives, and whoever waits for
 * the lock ends the session of one that has been silent. What a silent one had begun is rolled back with its session.
 *
 * The signs of life need no table: PostgreSQL itself remembers when a session last asked something.
 */

/** How often the holder of a lock asks something, if only to be heard. */
export const signOfLifeMs = 1_000;

/** A holder that is silent for this long is taken to be paused or gone. Three signs may get lost on a busy machine. */
export const silenceMs = 3_000;

/** How often a session that waits looks whether the lock is free, or its holder silent. */
export const takeOverPollMs = 1_000;

/** Lets the session be heard until it is disposed of. */
export function showLife(client: pg.Client, everyMs: number): Disposable {
  let unanswered = false;
  const timer = setInterval(() => {
    if (unanswered) return;
    unanswered = true;
    const answered = () => {
      unanswered = false;
    };
    // A connection that is lost says so itself, and in a transaction that has failed any question is refused.
    client.query('select 1').then(answered, answered);
  }, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * Ends the session that holds the lock if it has been silent. One that waits for an answer is not silent, however long
 * its query takes; one whose answer nobody fetches is. Only sessions that took the lock as {@link showLife} expects, and
 * have its name, are ended: an operator's command may hold the same lock for a while.
 * @returns whether one was ended. Its lock is free a moment later.
 */
export async function endSilentHolder(client: pg.Client, lock: string, afterMs: number): Promise<boolean> {
  const { rows } = await client.query<{ ended: boolean }>(
    `select pg_terminate_backend(holder.pid) as ended
      from pg_locks held join pg_stat_activity holder on holder.pid = held.pid
      where held.locktype = 'advisory' and held.granted and held.objsubid = 1
        and held.database = (select oid from pg_database where datname = current_database())
        and (held.classid::bigint << 32 | held.objid::bigint) = hashtextextended($1, 0)
        and holder.application_name = left($1, 63)
        and (holder.state like 'idle%' or holder.wait_event_type = 'Client')
        and holder.state_change < clock_timestamp() - $2 * interval '1 millisecond'`,
    [lock, afterMs],
  );
  return rows.some(({ ended }) => ended);
}
