import type { DomainEventType } from '#domain/events.js';
import type { StreamCategory } from '#domain/streams.js';
import type { ProjectedEvent } from './projected-event.js';

/**
 * A TypeORM entity. The table's columns, types and primary key come from its metadata, so that they are
 * declared once.
 */
export type EntityClass<Row extends object = object> = new () => Row;

/** The values of a row's primary key, in the order of the entity's primary columns. */
export type PrimaryKey = readonly (string | number)[];

/**
 * A read model is a pure fold of events into rows. It sees no clock, no database and no other read model. The
 * same history always gives the same rows. So a rebuild can be compared with the rows that it replaces.
 */
export interface ReadModel<Row extends object> {
  /** The name of the view that readers use. Generation n is in the table `{name}_g{n}`. */
  readonly name: string;
  /**
   * Version of the fold. Raise it when the same history would give other rows: the table must then be rebuilt.
   */
  readonly version: number;
  readonly entity: EntityClass<Row>;
  /** The streams that it consumes. It gets events of all their types, so that it notices a skipped event. */
  readonly categories: readonly StreamCategory[];
  /** The events that earlier releases ignored and that this version consumes. */
  readonly grown?: GrownFold;
  /** True when each event makes new rows, so that no existing row needs loading. */
  readonly rowPerEvent?: boolean;
  /** Beside `rowPerEvent`: the types of the few events that change existing rows instead. */
  readonly rowsChangedBy?: readonly DomainEventType[];
  /**
   * True when events of several streams may concern one row. A parked stream of such a model cannot simply
   * continue, because the other streams have gone on without it.
   */
  readonly keysSpanStreams?: boolean;
  /** True when later events never change an existing row: `evolve` then returns it unchanged. */
  readonly rowsNeverChange?: boolean;
  /** The rows that an event concerns, each once; none when this model does not show it. */
  keysOf(event: ProjectedEvent): readonly PrimaryKey[];
  /**
   * The row with that key after the event. Undefined: there is no such row, or no longer. Must not edit `row`.
   * If it throws for one row of an event, the event changes no row at all and is parked.
   */
  evolve(row: Row | undefined, event: ProjectedEvent, key: PrimaryKey): Row | undefined;
}

/**
 * A fold that consumes more events than before, and still gives the earlier rows unchanged. It keeps its
 * version, so that an older release can still work on its rows. The projector adds the rows that an older
 * release has passed over (refold.ts).
 */
export interface GrownFold {
  /** The part of `categories` that earlier releases did not consume. */
  readonly categories: readonly StreamCategory[];
  /**
   * Whether earlier releases ignored this event. Only such events make the added rows, and their order does not
   * change these rows.
   */
  has(event: ProjectedEvent): boolean;
}

/** Whether the rows that an event concerns may exist before it. */
export function changesRows(
  { rowPerEvent = false, rowsChangedBy = [] }: Pick<ReadModel<object>, 'rowPerEvent' | 'rowsChangedBy'>,
  { type }: { readonly type: string },
): boolean {
  return !rowPerEvent || rowsChangedBy.some((each) => each === type);
}

/**
 * The one row that a stream of events folds into. Reads use it on the stream itself while its read model is
 * behind. Only for a model in which each event concerns at most one row.
 */
export function foldRow<Row extends object>(
  model: ReadModel<Row>,
  events: readonly ProjectedEvent[],
): Row | undefined {
  return events.reduce<Row | undefined>((row, event) => {
    const [key] = model.keysOf(event);
    return key ? model.evolve(row, event, key) : row;
  }, undefined);
}
