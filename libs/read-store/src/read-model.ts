import type { StreamCategory } from '#domain/streams.js';
import type { ProjectedEvent } from './projected-event.js';

/** A TypeORM entity: the table's columns, types and primary key are taken from its metadata, so that they are said once. */
export type EntityClass<Row extends object = object> = new () => Row;

/** The values of a row's primary key, in the order of the entity's primary columns. */
export type PrimaryKey = readonly (string | number)[];

/**
 * A read model is a pure fold of events into rows. It sees no clock, no database and no other read model: the same
 * history always gives the same rows, which is what makes a rebuild comparable with what it replaces.
 */
export type ReadModel<Row extends object> = FoldOf<Row> & (OneRowAnEvent | SeveralRowsAnEvent);

interface FoldOf<Row extends object> {
  /** The name of the view that readers use; generation n lives in the table `{name}_g{n}`. */
  readonly name: string;
  /** Version of the fold. Bumped whenever the same history would give other rows: the table must then be rebuilt. */
  readonly version: number;
  readonly entity: EntityClass<Row>;
  /** The streams it consumes, with events of all types: that is what lets a skipped event be noticed. */
  readonly categories: readonly StreamCategory[];
  /** True when each event makes a row of its own, so that there is never an earlier row worth loading. */
  readonly rowPerEvent?: boolean;
  /**
   * True when events of several streams may concern one row. A stream of such a model that was parked cannot simply
   * be taken up again where it was left: the other streams have gone on without it.
   */
  readonly keysSpanStreams?: boolean;
  /** True when a row that is there stays as it is, whatever further events concern it: `evolve` returns it. */
  readonly rowsNeverChange?: boolean;
  /**
   * The row with that key after the event; undefined: there is no such row (any more). Must not edit `row`. When it
   * throws for one row of an event, the event changes no row at all and is parked.
   */
  evolve(row: Row | undefined, event: ProjectedEvent, key: PrimaryKey): Row | undefined;
}

interface OneRowAnEvent {
  /** The row that an event concerns, or undefined when this model does not show it. */
  keyOf(event: ProjectedEvent): PrimaryKey | undefined;
}

interface SeveralRowsAnEvent {
  /** The rows that an event concerns, each once; none when this model does not show it. */
  keysOf(event: ProjectedEvent): readonly PrimaryKey[];
}

export function keysOf(model: ReadModel<object>, event: ProjectedEvent): readonly PrimaryKey[] {
  if ('keysOf' in model) return model.keysOf(event);
  const key = model.keyOf(event);
  return key ? [key] : [];
}

/**
 * The one row that a stream of events folds into: for reading a stream directly while its read model is behind. Of a
 * model in which each event concerns one row at most.
 */
export function foldRow<Row extends object>(
  model: ReadModel<Row>,
  events: readonly ProjectedEvent[],
): Row | undefined {
  return events.reduce<Row | undefined>((row, event) => {
    const [key] = keysOf(model, event);
    return key ? model.evolve(row, event, key) : row;
  }, undefined);
}
