import type { StreamCategory } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { RecentMap } from '#platform/recent-map.js';
import { auditedEvent, placeOf, type AuditedEvent } from '../audited-event.js';
import { moneyModels } from './money-models.js';
import {
  none,
  textOfRowKey,
  type ColumnKind,
  type RowCell,
  type RowKey,
  type RowStore,
} from './row-store.js';

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
 * A read model's table, and its own fold, which the projector and a rebuild run as well. The audit gets it as an
 * argument and imports no fold. For a column without an audit model, it shows that the table equals the fold of
 * history, but not that the fold is right.
 */
export interface ReadModelFold {
  readonly name: string;
  /** Of the fold. */
  readonly version: number;
  /** The key under which the read store keeps the position up to which the rows are this fold's. */
  readonly shape: string;
  /** The streams that it is made of. */
  readonly categories: readonly StreamCategory[];
  /** Those of the primary key first. */
  readonly columns: readonly FoldedColumn[];
  readonly keyColumns: number;
  /** True when each event makes a row of its own. */
  readonly rowPerEvent: boolean;
  /** True when events of several streams may concern one row. */
  readonly keysSpanStreams: boolean;
  /** True when later events never change an existing row. */
  readonly rowsNeverChange: boolean;
  /** The rows that an event concerns. @throws for an event that the fold cannot take: the projector parks its stream */
  keysOf(event: AuditedEvent): readonly RowKey[];
  /** The row after the event; undefined: there is none. @throws as `keysOf` */
  evolve(row: FoldedRow | undefined, event: AuditedEvent, key: RowKey): FoldedRow | undefined;
}

/**
 * Folds history into the rows of one read model: the columns about money by the audit's own model, the others by the
 * read model's fold.
 *
 * The fold goes on from the row that it made before. The newest of those rows are kept; for one that is older, its
 * stream is read again. Rows that several streams may concern are all kept, for there is no one stream to read; those that
 * never change need not be.
 */
export class AuditedRows {
  private readonly money: (typeof moneyModels)[string];
  /** Columns that the audit has no model for. */
  private readonly folded: readonly FoldedColumn[];
  private readonly newest: Map<string, FoldedRow> | RecentMap<string, FoldedRow>;
  /** Whether no row is folded any further once it is there. */
  private readonly isMadeOnce: boolean;
  /** Streams with an event that the fold could not take. Like the projector, the audit skips the rest of them. */
  private readonly parked = new Set<string>();

  constructor(
    private readonly model: ReadModelFold,
    private readonly rows: RowStore,
    private readonly store: Pick<EventStore, 'readStream'>,
    /** The least number of rows that are kept in the fold's form. */
    keptRows = 1_000,
  ) {
    const { name, columns, keysSpanStreams } = model;
    this.money = moneyModels[name];
    const own = new Set(this.money?.columns);
    this.folded = columns.filter((column) => !own.has(column.name));
    this.newest = keysSpanStreams ? new Map() : new RecentMap(keptRows);
    this.isMadeOnce = model.rowPerEvent || model.rowsNeverChange;
  }

  /** @returns a promise only if rows that were dropped must be read again first */
  apply(event: AuditedEvent): Promise<void> | undefined {
    const keys = this.keysOf(event);
    const missing = keys.some(this.isMissing) ? keys.filter(this.isMissing) : nothing;
    this.money?.fold(event, this.rows);
    if (missing.length > 0) return this.load(event, missing).then(() => this.fold(event, keys));
    if (keys.length > 0) this.fold(event, keys);
    return undefined;
  }

  /** None for an event that the fold ignores or cannot take, or that concerns no wanted row. */
  private keysOf(event: AuditedEvent): readonly RowKey[] {
    if (this.folded.length === 0 || this.parked.has(event.stream)) return nothing;
    try {
      const keys = this.model.keysOf(event);
      return keys.every(this.isConcerned) ? keys : keys.filter(this.isConcerned);
    } catch {
      this.parked.add(event.stream);
      return nothing;
    }
  }

  private readonly isConcerned = (key: RowKey): boolean =>
    this.rows.wants(key) && !(this.model.rowsNeverChange && this.rows.find(key) !== none);

  /** Whether the row exists, but was dropped from memory. */
  private readonly isMissing = (key: RowKey): boolean => {
    const { model, rows, newest } = this;
    if (this.isMadeOnce || model.keysSpanStreams) return false;
    return !newest.has(textOfRowKey(key)) && rows.find(key) !== none;
  };

  private async load(event: AuditedEvent, keys: readonly RowKey[]): Promise<void> {
    for (const key of keys) {
      const row = await this.foldStream(event, key);
      if (row) this.newest.set(textOfRowKey(key), row);
    }
  }

  private fold(event: AuditedEvent, keys: readonly RowKey[]): void {
    try {
      // An event changes all of its rows or none: each is folded before the first one is written.
      const after = keys.map((key) => this.model.evolve(this.before(key), event, key));
      keys.forEach((key, index) => this.change(key, this.before(key), after[index]));
    } catch {
      this.parked.add(event.stream);
    }
  }

  private before(key: RowKey): FoldedRow | undefined {
    return this.isMadeOnce ? undefined : this.newest.get(textOfRowKey(key));
  }

  private change(key: RowKey, before: FoldedRow | undefined, after: FoldedRow | undefined): void {
    const { rows, newest } = this;
    if (after === before) return;
    if (!after) {
      newest.delete(textOfRowKey(key));
      const row = rows.find(key);
      if (row !== none) rows.remove(row);
      return;
    }
    if (!this.isMadeOnce) newest.set(textOfRowKey(key), after);
    const row = rows.open(key);
    for (const { name, property } of this.folded) {
      const value = after[property];
      if (!before || value !== before[property]) rows.writeCell(row, name, cellOf(value));
    }
  }

  /** The row as the stream's events before this one make it. */
  private async foldStream({ stream, revision }: AuditedEvent, key: RowKey): Promise<FoldedRow | undefined> {
    const { model, store } = this;
    const id = textOfRowKey(key);
    let row: FoldedRow | undefined;
    for (let from = 0; from < revision;) {
      const slice = await store.readStream(stream, { from: BigInt(from), unprovenToo: true });
      const places = slice.kind === 'found' ? slice.events.map(placeOf) : [];
      if (places.length === 0) break;
      for (const place of places) {
        if (!place || place.revision >= revision) break;
        const event = auditedEvent(place);
        if (model.keysOf(event).some((each) => textOfRowKey(each) === id))
          row = model.evolve(row, event, key);
      }
      from += places.length;
    }
    return row;
  }
}

const nothing: readonly RowKey[] = [];

/** Times in milliseconds. Other cells of a fold are text, numbers or JSON values. */
function cellOf(value: unknown): RowCell {
  if (value instanceof Date) return value.getTime();
  return value ?? null;
}
