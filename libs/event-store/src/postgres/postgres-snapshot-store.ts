import type pg from 'pg';
import { retryRead } from '../calls.js';
import type { Snapshot, SnapshotStore } from '../snapshots.js';
import { classifySqlFailure, withQueries, type Statement } from './connection.js';
import { schemaInSql } from './schema.js';

const limits = { deadlineMs: 10_000, answerTimeoutMs: 5000, observer: {} };

const table = `${schemaInSql}.snapshots`;
const load = {
  name: 'event_store.snapshot-load',
  text: `select revision, state from ${table} where stream = $1 and fold_version = $2`,
};
const save = {
  name: 'event_store.snapshot-save',
  text: `insert into ${table} as s (stream, fold_version, revision, state) values ($1, $2, $3, $4)
      on conflict (stream, fold_version) do update
        set revision = excluded.revision, state = excluded.state, saved_at = now()
        where s.revision < excluded.revision`,
};
const drop = {
  name: 'event_store.snapshot-drop',
  text: `delete from ${table} where stream = $1 and fold_version = $2 and revision = $3`,
};

/**
 * Snapshots in the schema of the event store, which `migrateEventStore` makes. The caller owns and ends the
 * pool.
 */
export function createPostgresSnapshotStore(pool: pg.Pool): SnapshotStore {
  // A second save or drop changes nothing, so it may be retried like a read.
  const run = (statement: Statement, values: unknown[]) =>
    retryRead(
      (timeoutMs) => withQueries(pool, timeoutMs, (query) => query<Snapshot>(statement, values)),
      classifySqlFailure,
      limits,
    );
  return {
    async load(stream, foldVersion) {
      const [row] = await run(load, [stream, foldVersion]);
      return row && { revision: row.revision, state: row.state };
    },
    async save(stream, foldVersion, revision, state) {
      await run(save, [stream, foldVersion, revision, JSON.stringify(state)]);
    },
    async drop(stream, foldVersion, revision) {
      await run(drop, [stream, foldVersion, revision]);
    },
  };
}
