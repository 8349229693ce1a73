import type pg from 'pg';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { deliver } from '../projected-event.js';
import { foldFromNothing } from '../model-fold.js';
import type { ReadModel } from '../read-model.js';

/** A generation that no runner uses. */
const scratch = 999;

/**
 * The wrong and missing rows of the first generation. Compares the table with a fold of the whole history in
 * memory. Empty if they are equal.
 */
export async function differencesFromHistory(
  sql: pg.Pool,
  store: EventStore,
  model: ReadModel<object>,
  environment = 'live',
): Promise<unknown[]> {
  const history = (await wholeLog(store)).filter(({ stream }) => stream.startsWith(`${environment}.`));
  const deliveries = history.map(deliver).filter((delivery) => delivery !== undefined);
  const fold = foldFromNothing(environment, model, deliveries, scratch);
  const rows = `${environment}.${model.name}_g`;
  const client = await sql.connect();
  try {
    await client.query('begin');
    await client.query(`create table ${rows}${scratch} (like ${rows}1 including all)`);
    if (fold.upserts.length > 0) await client.query(fold.active.table.upsert(fold.upserts));
    const { rows: found } = await client.query(
      `(select 'superfluous' as is, to_jsonb(row) as row from (table ${rows}1 except table ${rows}${scratch}) row)
        union all (select 'missing', to_jsonb(row) from (table ${rows}${scratch} except table ${rows}1) row)`,
    );
    return found;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

export async function wholeLog(store: EventStore): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const last = events.at(-1);
    const page = await store.readAll(last ? { after: last.position } : {});
    if (page.length === 0) return events;
    events.push(...page);
  }
}
