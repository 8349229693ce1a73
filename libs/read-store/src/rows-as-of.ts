import type { Environment } from '#domain/environment.js';
import type { EventStore } from '#event-store/event-store.js';
import { pause } from '#platform/retry.js';
import type { Queries } from './data-source.js';
import { misfitOf } from './log-fit.js';
import { serves } from './projection-checkpoints.js';

export interface RowsAsOf<Row> {
  /** All events up to here are folded into the rows. Undefined: none is. */
  readonly position: bigint | undefined;
  readonly rows: readonly Row[];
}

/**
 * The rows of a read model and the position in the log that they show, read in one statement. A follower of the log
 * that starts there misses no event.
 * @param where a condition on the columns, without parameters
 */
export async function rowsAsOf<Row>(
  database: Queries,
  environment: Environment,
  readModel: string,
  where: string,
): Promise<RowsAsOf<Row>> {
  const { rows } = await database.query(
    `select (select position::text from read_store.projections
        where environment = $1 and name = $2 and ${serves}) as position,
      (select coalesce(json_agg(shown), '[]') from ${environment}.${readModel} shown where ${where}) as rows`,
    [environment, readModel],
  );
  // The statement gives one row with these columns; the caller knows the columns of its read model.
  const [found] = rows as { position: string | null; rows: Row[] }[];
  const position = found?.position ?? undefined;
  return { position: position === undefined ? undefined : BigInt(position), rows: found?.rows ?? [] };
}

const lookAgainMs = 20;

/**
 * Waits until all of these read models have folded the event at this position, by looking again and again: for code that
 * waits seldom, or has no watcher of checkpoints.
 * @returns false if that takes longer than `patienceMs`
 */
export async function foldedWithin(
  patienceMs: number,
  database: Queries,
  environment: Environment,
  readModels: readonly string[],
  position: bigint | undefined,
): Promise<boolean> {
  if (position === undefined) return true;
  for (const until = performance.now() + patienceMs; ; await pause(lookAgainMs)) {
    const { rows } = await database.query(
      `select 1 from read_store.projections
        where environment = $1 and name = any($2::text[]) and ${serves} and position >= $3`,
      [environment, readModels, position],
    );
    if (rows.length === readModels.length) return true;
    if (performance.now() >= until) return false;
  }
}

/** False: a read model shows what a restored log has lost, or something else in its place. */
export async function fitLog(
  database: Queries,
  store: Pick<EventStore, 'lastEvent'>,
  environment: Environment,
  readModels: readonly string[],
): Promise<boolean> {
  const { rows } = await database.query(
    `select distinct event_position::text as position, event_id as id, state = 'halted' as halted
      from read_store.projections
      where environment = $1 and name = any($2::text[]) and ${serves} and event_id is not null`,
    [environment, readModels],
  );
  // The columns are named by the statement.
  for (const { position, id, halted } of rows as { position: string; id: string; halted: boolean }[])
    // The log may have got a lost event again, by a retry. The projector has halted all the same.
    if (halted || (await misfitOf(store, { position: BigInt(position), id })) !== undefined) return false;
  return true;
}
