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
    keptRows = 2_000,
  ) {
    const { name, columns, keysSpanStreams } = model;
    this.money = moneyModels[name];
    const own = new Set(this.money?.columns);
    this.folded = columns.filter((column) => !own.has(column.name));
    this.newest = keysSpanStreams ? new Map() : new LRUCache({ max: keptRows });
  }

  /** @returns a promise only where rows that are kept no more have to be read again first */
  apply(event: AuditedEvent, recorded: RecordedEvent): Promise<void> | undefined {
    const keys = this.folded.length > 0 ? this.keysOf(recorded) : [];
    const missing = keys.filter((key) => this.isMissing(key));
    this.money?.fold(event, this.rows);
    if (missing.length === 0) return this.fold(recorded, keys);
    return this.load(recorded, missing).then(() => this.fold(recorded, keys));
  }

  /** Whether there is such a row, and it is kept no more. */
  private isMissing(key: RowKey): boolean {
    const { model, rows, newest } = this;
    if (model.rowPerEvent || model.keysSpanStreams) return false;
    return !newest.has(textOf(key)) && rows.find(key) !== none;
  }

  /** None for an event that the fold passes over, cannot take, or that concerns no row that is asked for. */
  private keysOf(event: RecordedEvent): readonly RowKey[] {
    if (this.parked.has(event.stream)) return [];
    try {
      return this.model.keysOf(event).filter((key) => this.rows.wants(key));
    } catch {
      this.parked.add(event.stream);
      return [];
    }
  }

  private async load(event: RecordedEvent, keys: readonly RowKey[]): Promise<void> {
    for (const key of keys) {
      const row = await this.foldStream(event, key);
      if (row) this.newest.set(textOf(key), row);
    }
  }

  private fold(event: RecordedEvent, keys: readonly RowKey[]): undefined {
    const { model, newest, parked } = this;
    try {
      const before = keys.map((key) => (model.rowPerEvent ? undefined : newest.get(textOf(key))));
      // An event changes all of its rows or none: each is folded before the first one is written.
      const after = keys.map((key, index) => model.evolve(before[index], event, key));
      for (const [index, key] of keys.entries()) this.change(key, before[index], after[index]);
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
    const row = rows.open(key);
    for (const { name, property } of this.folded) {
      const value = after[property];
      if (!before || value !== before[property]) rows.writeCell(row, name, cellOf(value));
    }
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
}

function textOf(key: RowKey): string {
  return key.length === 1 ? String(key[0]) : key.join('\0');
}

/** Times in milliseconds. Whatever else a fold puts into a row is a text, a number, or what JSON can say. */
function cellOf(value: unknown): RowCell {
  if (value instanceof Date) return value.getTime();
  return value ?? null;
}
