import type { EventStore } from '#event-store/event-store.js';
import { sealedEvents } from '#event-store/seals/seal.js';
import { ConsumerHalted } from './consumer-errors.js';
import type { Queries } from './data-source.js';

/** The last event that went into what a checkpoint stands for: it shows that the log still is the one it was made from. */
export interface Anchor {
  readonly position: bigint;
  readonly id: string;
}

/** The columns that an anchor is kept in. */
export interface AnchorColumns {
  readonly event_position: bigint | null;
  readonly event_id: string | null;
}

export interface AnchoredCheckpoint {
  /** Everything that its consumer wants up to here is done; null: nothing yet. */
  readonly position: bigint | null;
  /** Absent in a checkpoint that was made before there were any, or that was set by hand. */
  readonly anchor?: Anchor | undefined;
}

/** What a checkpoint says of the log is not so. Going on would pass over events, or do again what is done. */
export class LogMismatch extends ConsumerHalted {
  override readonly name = 'LogMismatch';
}

/** Begins what is stored of a consumer that such a mismatch has halted. */
export const checkpointWas = 'its checkpoint was';

const wayOut =
  'restore the log and the database from backups that belong together, or stop all roles and run "atelier checkpoints reset" (docs/production.md, Restore)';

export function anchorOf({ event_position: position, event_id: id }: AnchorColumns): Anchor | undefined {
  return position === null || id === null ? undefined : { position, id };
}

/** In one line, what an anchor finds in the log in place of its event; undefined: it is there. */
export async function misfitOf(
  store: Pick<EventStore, 'lastEvent'>,
  { position, id }: Anchor,
): Promise<string | undefined> {
  const there = await store.lastEvent(position);
  if (there?.position === position && there.id === id) return undefined;
  const found =
    there?.position === position
      ? `event ${there.id}`
      : there
        ? `nothing there, and event ${there.id} at ${there.position} as the last one before`
        : 'no event there or before';
  return `made from event ${id} at position ${position}, and the log has ${found}: ${wayOut}`;
}

/**
 * Where a consumer goes on: behind the event that its checkpoint was made from, once that was found in the log. What the
 * checkpoint passed after it were no events of the consumer's, and are looked through again. A checkpoint without an
 * event is believed once, and gets the event that lies where it stands.
 * @throws LogMismatch, and what the store throws
 */
export async function resumeFrom<Checkpoint extends AnchoredCheckpoint>(
  store: Pick<EventStore, 'lastEvent'>,
  checkpoint: Checkpoint,
): Promise<Checkpoint> {
  const { position, anchor } = checkpoint;
  if (position === null) return { ...checkpoint, anchor: undefined };
  if (!anchor) return { ...checkpoint, anchor: await store.lastEvent(position) };
  const misfit = await misfitOf(store, anchor);
  if (misfit !== undefined) throw new LogMismatch(`${checkpointWas} ${misfit}`);
  return { ...checkpoint, position: anchor.position < position ? anchor.position : position };
}

/** The log that all checkpoints of the installation belong to. */
export interface BoundLog {
  /** As the log names itself. Null: it was bound before logs had names. */
  readonly identity: string | null;
  /** Where it was when it was bound, without credentials: for people. */
  readonly place: string;
}

export async function boundLog(database: Queries): Promise<BoundLog | undefined> {
  const { rows } = await database.query('select identity, log as place from read_store.checkpoint_log');
  // The columns are named by the statement.
  return rows[0] as BoundLog | undefined;
}

/** From now on the checkpoints belong to this log. */
export async function bindTo(database: Queries, { identity, place }: BoundLog): Promise<void> {
  await database.query(
    `insert into read_store.checkpoint_log (log, identity) values ($1, $2)
      on conflict (single) do update set log = excluded.log, identity = excluded.identity, moved_at = now()`,
    [place, identity],
  );
}

/** Where a process has its events. */
export interface OwnLog {
  readonly store: Pick<EventStore, 'identity' | 'lastEvent' | 'readAll'>;
  /** Without credentials. */
  readonly place: string;
}

/**
 * Binds the installation to the log on the first start; from then on it refuses every other one, whose positions mean
 * something else.
 * @throws LogMismatch, in one line with both logs and the way to move; and what store and database throw
 */
export async function requireOwnLog(database: Queries, { store, place }: OwnLog): Promise<void> {
  const identity = await store.identity();
  if ((await boundLog(database))?.identity === identity) return;
  // Of several that start at once the first one binds; a binding that is older than names is completed.
  const { rows } = await database.query(
    `insert into read_store.checkpoint_log as bound (log, identity) values ($1, $2)
      on conflict (single) do update set identity = coalesce(bound.identity, excluded.identity)
      returning identity, log as place`,
    [place, identity],
  );
  // The statement gives one row, and names its columns.
  const bound = rows[0] as BoundLog;
  if (bound.identity === identity) return;
  throw new LogMismatch(
    `this installation belongs to the log ${bound.identity} at ${bound.place}, and EVENT_STORE_URL names the log ${identity} at ${place}: ` +
      'correct it, or move with "atelier events copy --checkpoints translate" (docs/moving-to-eventstoredb.md)',
  );
}

/** So many events without proof at the beginning of a log are no single forgery: an older release wrote it. */
const judgedEvents = 32;

/**
 * Refuses a log whose beginning proves no writer, before anything acts on it: a process that is replaced by one of this
 * release goes on until it was prepared for it.
 * @throws LogMismatch, and what the store throws
 */
export async function requireProof({ store, place }: OwnLog): Promise<void> {
  const first = await store.readAll({ limit: judgedEvents, filter: sealedEvents, unprovenToo: true });
  if (first.length === 0 || first.some(({ unproven }) => unproven === undefined)) return;
  throw new LogMismatch(
    `the log at ${place} begins with events that prove no writer, as an older release wrote them, or one with another ATELIER_SIGNING_KEY: ` +
      'set ATELIER_UNPROVEN_EVENTS=accept for as long as an older release runs, then run "atelier events adopt" (docs/production.md, Upgrades)',
  );
}
