import type { StreamCategory } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { ColumnKind, RowKey } from './row-store.js';

/** A row as a read model's fold has it. */
export type FoldedRow = Readonly<Record<string, unknown>>;

export interface FoldedColumn {
  /** In the table. */
  readonly name: string;
  /** In the folded row, where a time is a `Date`. */
  readonly property: string;
  readonly kind: ColumnKind;
}

/**
 * A read model's table, and its own fold, which the projector and a rebuild run as well. The audit is handed it and
 * imports none: what it says of a column that it has no model of its own for is that the table is the fold of history,
 * and not that the fold is right.
 */
export interface ReadModelFold {
  readonly name: string;
  /** The streams that it is made of. */
  readonly categories: readonly StreamCategory[];
  /** Those of the primary key first. */
  readonly columns: readonly FoldedColumn[];
  readonly keyColumns: number;
  /** True when each event makes a row of its own. */
  readonly rowPerEvent: boolean;
  /** True when events of several streams may concern one row. */
  readonly keysSpanStreams: boolean;
  /** The rows that an event concerns. @throws for an event that the fold cannot take: the projector parks its stream */
  keysOf(event: RecordedEvent): readonly RowKey[];
  /** The row after the event; undefined: there is none. @throws as `keysOf` */
  evolve(row: FoldedRow | undefined, event: RecordedEvent, key: RowKey): FoldedRow | undefined;
}
