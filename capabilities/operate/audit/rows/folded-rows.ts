import type { StreamCategory } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { auditedEvent, placeOf, type AuditedEvent } from '../audited-event.js';
import { digestOf } from './digest.js';

/** How a column is compared: times in milliseconds, JSON without the order of members. */
export type ColumnKind = 'text' | 'integer' | 'time' | 'json';

/** The values of a row's primary key. */
export type RowKey = readonly (string | number)[];

/** A row as a fold has it. */
export type FoldedRow = Readonly<Record<string, unknown>>;

export interface FoldedColumn {
  /** The name in the table. */
  readonly name: string;
  /** The name in the folded row, where a time is a `Date` or milliseconds. */
  readonly property: string;
  readonly kind: ColumnKind;
}

/** Makes the cells of some columns from events. */
export interface RowFold {
  readonly columns: readonly FoldedColumn[];
  /** True when all events but a few make rows of their own. */
  readonly rowPerEvent: boolean;
  /** True when events of several streams may concern one row. */
  readonly keysSpanStreams: boolean;
  /** True when later events never change an existing row. */
  readonly rowsNeverChange: boolean;
  /** Whether the rows that an event concerns may exist before it. */
  changesRows(event: AuditedEvent): boolean;
  /** Whether events are still to come for this row. Absent: unknown. */
  isOpen?(row: FoldedRow): boolean;
  /**
   * The keys of the rows that an event concerns.
   * @throws for an event that the fold cannot take; the projector parks its stream
   */
  keysOf(event: AuditedEvent): readonly RowKey[];
  /** The row after the event; undefined: there is none. @throws as `keysOf` */
  evolve(row: FoldedRow | undefined, event: AuditedEvent, key: RowKey): FoldedRow | undefined;
}

/**
 * A read model's table, and its own fold, which the projector and a rebuild run as well. The audit gets it as an
 * argument and imports no fold. For a column without an audit model, it shows that the table equals the fold of
 * history, but not that the fold is right.
 */
export interface ReadModelFold extends RowFold {
  readonly name: string;
  /** The version of the fold. */
  readonly version: number;
  /** The read store keeps under this key the position up to which this fold made the rows. */
  readonly shape: string;
  /** The streams that it is made of. */
  readonly categories: readonly StreamCategory[];
  /** All columns of the table, those of the primary key first. */
  readonly columns: readonly FoldedColumn[];
  readonly keyColumns: number;
}

/**
 * Joins all parts of the key, because several rows of a table may share all but one. PostgreSQL's text holds no
 * NUL.
 */
export function textOfKey(key: RowKey): string {
  return key.length === 1 ? String(key[0]) : key.join('\0');
}

/** A key and its text. */
type KnownKey = readonly [key: RowKey, id: string];

interface KeptRows {
  /** Texts of keys: only these rows are folded, and all of them are kept in full. Absent: all rows. */
  readonly wanted?: ReadonlySet<string>;
  /** The least number of rows that are kept in full. */
  readonly kept?: number;
  /** Called for each row that an event changes. */
  onChange?(key: string, event: AuditedEvent): void;
}

/**
 * Folds history into rows. The newest rows are kept in full, because the fold goes on from them; only digests
 * are kept of older rows. When an event concerns an older row, its stream is read again.
 *
 * A row that several streams may concern cannot be made again from one stream. Such rows are always kept in
 * full, or, if the fold knows when they are open, while they are open. A later event makes a closed row a
 * suspect, and the second reading keeps suspects in full.
 */
export class FoldedRows {
  /** Rows in full by the text of their key, in two halves: the older half is dropped when the newer one is full. */
  private newer = new Map<string, FoldedRow>();
  private older = new Map<string, FoldedRow>();
  /** Open rows, which stay in full. */
  private readonly open = new Map<string, FoldedRow>();
  /** Digests of the rows that were dropped. A row that is back in full may still have its old digest here. */
  private readonly digests = new Map<string, number>();
  /** Streams with an event that the fold could not take. Like the projector, the audit skips the rest of them. */
  private readonly parked = new Set<string>();
  private readonly mostNew: number;

  constructor(
    private readonly fold: RowFold,
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly options: KeptRows = {},
  ) {
    const { kept = 1_000, wanted } = options;
    const isNeverDropped = wanted !== undefined || (fold.keysSpanStreams && !fold.isOpen);
    const isMadeOnce = fold.rowPerEvent || fold.rowsNeverChange;
    this.mostNew = isNeverDropped ? Number.POSITIVE_INFINITY : isMadeOnce ? 0 : kept;
  }

  /** @returns a promise only if rows that were dropped must be read again first */
  apply(event: AuditedEvent): Promise<void> | undefined {
    const keys = this.keysOf(event);
    if (keys.length === 0) return undefined;
    const dropped = this.fold.changesRows(event) ? keys.filter(([, id]) => this.isDropped(id)) : nothing;
    if (dropped.length === 0) {
      this.change(event, keys);
      return undefined;
    }
    if (!this.fold.keysSpanStreams)
      return this.load(event, dropped).then((loaded) => this.change(event, keys, loaded));
    // No cells have this digest.
    for (const [, id] of dropped) this.digests.set(id, Number.NaN);
    this.change(
      event,
      keys.filter((key) => !dropped.includes(key)),
    );
    return undefined;
  }

  /** The row with this key, if it is kept in full. */
  row(id: string): FoldedRow | undefined {
    return this.open.get(id) ?? this.newer.get(id) ?? this.older.get(id);
  }

  /** Removes a row from the expected rows. @returns whether it has these cells */
  take(id: string, cells: readonly unknown[]): boolean {
    const row = this.row(id);
    const digest = row ? digestOf(this.cellsOf(row)) : this.digests.get(id);
    this.remove(id);
    return digest === digestOf(cells);
  }

  /** About how many there are: some are counted twice. */
  get size(): number {
    return this.digests.size + this.older.size + this.newer.size + this.open.size;
  }

  /** The keys of the rows that were not taken. */
  get keys(): ReadonlySet<string> {
    return new Set([this.digests, this.older, this.newer, this.open].flatMap((rows) => [...rows.keys()]));
  }

  /**
   * The cells in the order of the columns. Times are in milliseconds; other cells are texts, numbers and JSON
   * values.
   */
  cellsOf(row: FoldedRow): unknown[] {
    return this.fold.columns.map(({ property }) => {
      const value = row[property];
      return value instanceof Date ? value.getTime() : (value ?? null);
    });
  }

  /** Empty for an event that the fold ignores or cannot take, or that concerns no wanted row. */
  private keysOf(event: AuditedEvent): readonly KnownKey[] {
    if (this.parked.has(event.stream)) return nothing;
    try {
      const keys = this.fold.keysOf(event);
      if (keys.length === 0) return nothing;
      return keys.map((key) => [key, textOfKey(key)] as const).filter(([, id]) => this.isConcerned(id));
    } catch {
      this.parked.add(event.stream);
      return nothing;
    }
  }

  private isConcerned(id: string): boolean {
    if (this.options.wanted && !this.options.wanted.has(id)) return false;
    return !this.fold.rowsNeverChange || !(this.digests.has(id) || this.row(id));
  }

  private isDropped(id: string): boolean {
    return this.digests.has(id) && !this.row(id);
  }

  private async load(event: AuditedEvent, keys: readonly KnownKey[]): Promise<Map<string, FoldedRow>> {
    const loaded = new Map<string, FoldedRow>();
    for (const [key, id] of keys) {
      const row = await this.foldStream(event, key);
      if (row) loaded.set(id, row);
    }
    return loaded;
  }

  /** @param loaded rows that were dropped: there may be more of them than are kept */
  private change(
    event: AuditedEvent,
    keys: readonly KnownKey[],
    loaded: ReadonlyMap<string, FoldedRow> = noRows,
  ): void {
    try {
      // An event changes all of its rows or none, so each is folded before the first one is kept.
      const mayExist = this.fold.changesRows(event);
      const rows = keys.map(([key, id]) => {
        const before = mayExist ? (loaded.get(id) ?? this.row(id)) : undefined;
        return { id, before, after: this.fold.evolve(before, event, key) };
      });
      for (const { id, before, after } of rows) {
        if (after === before) continue;
        if (after) this.keep(id, after);
        else this.remove(id);
        this.options.onChange?.(id, event);
      }
    } catch {
      this.parked.add(event.stream);
    }
  }

  private keep(id: string, row: FoldedRow): void {
    if (this.fold.isOpen?.(row)) {
      this.open.set(id, row);
      return;
    }
    if (this.fold.isOpen) this.open.delete(id);
    if (this.mostNew === 0) return this.drop(id, row);
    this.newer.set(id, row);
    if (this.newer.size < this.mostNew) return;
    for (const [old, row] of this.older) if (!this.newer.has(old)) this.drop(old, row);
    this.older = this.newer;
    this.newer = new Map();
  }

  private drop(id: string, row: FoldedRow): void {
    this.digests.set(id, digestOf(this.cellsOf(row)));
  }

  private remove(id: string): void {
    for (const rows of [this.newer, this.older, this.open, this.digests]) rows.delete(id);
  }

  /** Folds the row from the stream's events before this one. */
  private async foldStream({ stream, revision }: AuditedEvent, key: RowKey): Promise<FoldedRow | undefined> {
    const { fold, store } = this;
    const id = textOfKey(key);
    let row: FoldedRow | undefined;
    for (let from = 0; from < revision;) {
      const slice = await store.readStream(stream, { from: BigInt(from), unprovenToo: true });
      const places = slice.kind === 'found' ? slice.events.map(placeOf) : [];
      if (places.length === 0) break;
      for (const place of places) {
        if (!place || place.revision >= revision) break;
        const event = auditedEvent(place);
        if (fold.keysOf(event).some((each) => textOfKey(each) === id)) row = fold.evolve(row, event, key);
      }
      from += places.length;
    }
    return row;
  }
}

const nothing: readonly KnownKey[] = [];
const noRows: ReadonlyMap<string, FoldedRow> = new Map();
