import type { EventStore } from '#event-store/event-store.js';
import { ownEvents } from '#event-store/own-events.js';
import { ConsumerHalted } from './consumer-errors.js';
import type { Queries } from './data-source.js';

/** The last event that a checkpoint covers. It shows whether the checkpoint was made from this log. */
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
  /** The consumer has handled all of its events up to here; null: none yet. */
  readonly position: bigint | null;
  /** Absent in a checkpoint that was made before anchors existed, or that was set by hand. */
  readonly anchor?: Anchor | undefined;
}

/** A checkpoint does not fit the log. Going on would skip events, or handle events twice. */
export class LogMismatch extends ConsumerHalted {
  override readonly name = 'LogMismatch';
}

/** The stored reason begins with this text when such a mismatch has halted a consumer. */
export const checkpointWas = 'its checkpoint was';

const wayOut =
  'restore the log and the database from backups that belong together, or stop all roles and run "atelier checkpoints reset" (docs/production.md, Restore)';

export function anchorOf({ event_position: position, event_id: id }: AnchorColumns): Anchor | undefined {
  return position === null || id === null ? undefined : { position, id };
}

/** One line that says what the log has in place of an anchor's event. Undefined: the log has the event. */
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
        ? `nothing there; the last event before is ${there.id} at ${there.position}`
        : 'no event there or before';
  return `made from event ${id} at position ${position}, and the log has ${found}: ${wayOut}`;
}

/**
 * Where a consumer goes on: after its checkpoint's event, if the log has that event. The events between it and
 * the checkpoint's position are read again; none of them concerns the consumer. A checkpoint without an event
 * is trusted once, and gets the event at its position.
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
  /** The log's own name. Null: it was bound before logs had names. */
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
 * Binds the installation to the log on the first start. From then on it refuses every other log, because
 * positions differ between logs.
 * @throws LogMismatch, whose line names both logs and the way to move; and the errors of store and database
 */
export async function requireOwnLog(database: Queries, { store, place }: OwnLog): Promise<void> {
  const identity = await store.identity();
  if ((await boundLog(database))?.identity === identity) return;
  // When several processes start at once, the first one writes the binding. A binding that was made before logs
  // had names gets the name.
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

/**
 * If the first events of a log, up to this many, lack proof, an older release wrote them. A forger would add
 * single events.
 */
const judgedEvents = 32;

/**
 * Refuses a log whose first events lack proof of their writer, before any consumer acts on it. A process of the
 * older release goes on until the log was prepared.
 * @throws LogMismatch, and what the store throws
 */
export async function requireProof({ store, place }: OwnLog): Promise<void> {
  const first = await store.readAll({ limit: judgedEvents, filter: ownEvents, unprovenToo: true });
  if (first.length === 0 || first.some(({ unproven }) => unproven === undefined)) return;
  throw new LogMismatch(
    `the log at ${place} begins with events without proof of their writer: an older release wrote them, or a service with another ATELIER_SIGNING_KEY; ` +
      'set ATELIER_UNPROVEN_EVENTS=accept while an older release runs, then run "atelier events adopt" (docs/production.md, Upgrades)',
  );
}
