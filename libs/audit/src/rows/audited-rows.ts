import { LRUCache } from 'lru-cache';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import type { AuditedEvent } from '../audited-event.js';
import { moneyModels } from './money-models.js';
import type { FoldedColumn, FoldedRow, ReadModelFold } from './read-model-fold.js';
import { none, type RowCell, type RowKey, type RowStore } from './row-store.js';

/**
 * Folds history into the rows of one read model: the columns about money by the audit's own model, the others by the
 * read model's fold.
 *
 * The fold goes on from the row that it made before. The newest of those rows are kept; for one that is older, its
 * stream is read again. Rows that several streams may concern are all kept, for there is no one stream to read.
 */
export class AuditedRows {
  private readonly money: (typeof moneyModels)[string];
  /** Columns that the audit has no model for. */
  private readonly folded: readonly FoldedColumn[];
  private readonly newest: Map<string, FoldedRow> | LRUCache<string, FoldedRow>;
  /** Streams with an event that the fold could not take. The projector passes over the rest of them, and so do we. */
  private readonly parked = new Set<string>();

  constructor(
    private readonly model: ReadModelFold,
    private readonly rows: RowStore,
    private readonly store: Pick<EventStore, 'readStream'>,
    /** How many rows are kept as the fold has them. */
    keptRows = 10_000,
  ) {
    const { name, columns, keysSpanStreams } = model;
    this.money = moneyModels[name];
    const own = new Set(this.money?.columns);
    this.folded = columns.filter((column) => !own.has(column.name));
    this.newest = keysSpanStreams ? new Map() : new LRUCache({ max: keptRows });
  }

  /** Whether the fold of this event has to be given rows that are kept no more: they must be loaded before. */
  lacks(event: RecordedEvent): boolean {
    return this.missing(event).length > 0;
  }

  async load(event: RecordedEvent): Promise<void> {
    for (const key of this.missing(event)) {
      const row = await this.foldStream(event, key);
      if (row) this.newest.set(textOf(key), row);
    }
  }

  apply(event: AuditedEvent, recorded: RecordedEvent): void {
    this.money?.fold(event, this.rows);
    if (this.folded.length > 0 && !this.parked.has(recorded.stream)) this.fold(recorded);
  }

  private fold(event: RecordedEvent): void {
    const { model, rows, newest, parked } = this;
    try {
      // An event changes all of its rows or none: each is folded before the first one is written.
      const changes = model.keysOf(event).flatMap((key) => {
        if (!rows.wants(key)) return [];
        const before = model.rowPerEvent ? undefined : newest.get(textOf(key));
        return [{ key, before, after: model.evolve(before, event, key) }];
      });
      for (const { key, before, after } of changes) this.change(key, before, after);
    } catch {
      parked.add(event.stream);
    }
  }

  private change(key: RowKey, before: FoldedRow | undefined, after: FoldedRow | undefined): void {
    const { model, rows, newest } = this;
    if (after === before) return;
    if (!after) {
      newest.delete(textOf(key));
      const row = rows.find(key);
      if (row !== none) rows.remove(row);
      return;
    }
    if (!model.rowPerEvent) newest.set(textOf(key), after);
    const cells: Record<string, RowCell> = {};
    for (const { name, property } of this.folded) {
      const value = after[property];
      if (!before || value !== before[property]) cells[name] = cellOf(value);
    }
    rows.write(rows.open(key), cells);
  }

  /** The row as the stream's events before this one make it. */
  private async foldStream({ stream, revision }: RecordedEvent, key: RowKey): Promise<FoldedRow | undefined> {
    const { model, store } = this;
    const id = textOf(key);
    let row: FoldedRow | undefined;
    for (let from = 0n; from < revision;) {
      const slice = await store.readStream(stream, { from });
      const events = slice.kind === 'found' ? slice.events : [];
      if (events.length === 0) break;
      for (const event of events) {
        if (event.revision >= revision) break;
        if (model.keysOf(event).some((each) => textOf(each) === id)) row = model.evolve(row, event, key);
      }
      from += BigInt(events.length);
    }
    return row;
  }

  private missing(event: RecordedEvent): readonly RowKey[] {
    const { model, rows, newest, parked } = this;
    const keepsAll = model.rowPerEvent || model.keysSpanStreams;
    if (this.folded.length === 0 || keepsAll || parked.has(event.stream)) return [];
    try {
      return model.keysOf(event).filter((key) => rows.find(key) !== none && !newest.has(textOf(key)));
    } catch {
      // The fold cannot take it: it will be told when the event is applied.
      return [];
    }
  }
}

function textOf(key: RowKey): string {
  return key.length === 1 ? String(key[0]) : key.join('\0');
}

/** Times in milliseconds. Whatever else a fold puts into a row is a text, a number, or what JSON can say. */
function cellOf(value: unknown): RowCell {
  if (value instanceof Date) return value.getTime();
  return value ?? null;
}
