import type pg from 'pg';
import type { Snapshot, SnapshotStore } from '../snapshots.js';
import { onClient, query, readRetrying, type Statement } from './connection.js';
import { defaultSchema, quoteSchema } from './schema.js';

const timeoutMs = 5000;
const deadlineMs = 10_000;

/**
 * Snapshots in the schema of the event store, which `migrateEventStore` makes. The caller owns and ends the
 * pool.
 */
export function createPostgresSnapshotStore(options: { pool: pg.Pool; schema?: string }): SnapshotStore {
  const { pool, schema = defaultSchema } = options;
  const table = `${quoteSchema(schema)}.snapshots`;
  const load = {
    name: `${schema}.snapshot-load`,
    text: `select revision, state from ${table} where stream = $1 and fold_version = $2`,
  };
  const save = {
    name: `${schema}.snapshot-save`,
    text: `insert into ${table} as s (stream, fold_version, revision, state) values ($1, $2, $3, $4)
      on conflict (stream, fold_version) do update
        set revision = excluded.revision, state = excluded.state, saved_at = now()
        where s.revision < excluded.revision`,
  };
  const drop = {
    name: `${schema}.snapshot-drop`,
    text: `delete from ${table} where stream = $1 and fold_version = $2 and revision = $3`,
  };
  const run = async (statement: Statement, values: unknown[]) => {
    // A second save or drop changes nothing, so it may be retried like a read.
    await readRetrying(
      () => onClient(pool, (client) => query(client, statement, values, timeoutMs)),
      deadlineMs,
    );
  };
  return {
    async load(stream, foldVersion) {
      const read = () =>
        onClient(pool, (client) => query<Snapshot>(client, load, [stream, foldVersion], timeoutMs));
      const [row] = await readRetrying(read, deadlineMs);
      return row && { revision: row.revision, state: row.state };
    },
    save: (stream, foldVersion, revision, state) =>
      run(save, [stream, foldVersion, revision, JSON.stringify(state)]),
    drop: (stream, foldVersion, revision) => run(drop, [stream, foldVersion, revision]),
  };
}
