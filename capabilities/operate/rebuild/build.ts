import type pg from 'pg';
import { BloomFilter } from '#platform/bloom-filter.js';
import { RecentMap } from '#platform/recent-map.js';
import type { QueryToSend } from '#read-store/commit-queue.js';
import type { ActiveModel, ModelFold } from '#read-store/model-fold.js';
import {
  keyText,
  type CopiedRows,
  type ProjectionTable,
  type ModelRow,
} from '#read-store/projection-table.js';
import type { PrimaryKey } from '#read-store/read-model.js';

/** A generation that is being filled. `active.checkpoint.position` is how far it is folded in memory. */
export interface Build {
  readonly active: ActiveModel;
  readonly rows: GenerationRows;
  /** The keys of rows that changed since a comparison began; undefined while none is under way. */
  touched: Map<string, PrimaryKey> | undefined;
}

interface Change {
  readonly key: PrimaryKey;
  /** The row's new content; undefined: the row is deleted. */
  readonly row: ModelRow | undefined;
  /** Whether the table will have a row with this key once the changes before this one are written. */
  readonly stored: boolean;
}

type Changes = Map<string, Change>;

/** The least number of rows of one read model kept in memory, beside those that wait to be written. */
const keptRows = 12_000;

/**
 * The rows of a generation that only this process writes. It need not read new rows back, and it writes a row
 * once even if the row changes ten times within moments.
 *
 * A change is `waiting` until `take`, then `underWay` until `written`. Then its row is `kept` until newer rows
 * push it out. All other rows must be loaded, except keys that never had a row in a generation that began
 * empty: most look-ups are for rows that do not exist yet.
 */
export class GenerationRows {
  private waiting: Changes = new Map();
  private underWay: Changes = new Map();
  /**
   * The rows of a model in which each event makes a new row. They are hardly ever read again, and are two of three
   * rows. They are encoded at once: as objects they would burden the garbage collector until they are written.
   */
  private made: CopiedRows;
  private madeUnderWay: CopiedRows;
  private readonly kept = new RecentMap<string, ModelRow>(keptRows);
  /** A filter of the keys that the table can have; undefined: it may have any key. */
  private readonly ever: BloomFilter | undefined;

  constructor(
    private readonly table: ProjectionTable,
    private readonly rowPerEvent: boolean,
    beganEmpty: boolean,
  ) {
    this.ever = beganEmpty && !rowPerEvent ? new BloomFilter() : undefined;
    this.made = table.copy();
    this.madeUnderWay = table.copy();
  }

  get waitingRows(): number {
    return this.waiting.size + this.made.count;
  }

  /** Whether a fold needs rows that are encoded already: they have to be written first. */
  mustBeWrittenBefore({ changedKeys }: ModelFold): boolean {
    return changedKeys.size > 0 && this.made.count + this.madeUnderWay.count > 0;
  }

  /** Loads the rows that a fold is about to need. */
  async load(client: pg.Client, { changedKeys }: ModelFold): Promise<void> {
    const unknown: PrimaryKey[] = [];
    for (const [id, key] of changedKeys)
      if (this.ever?.mayHave(id) !== false && !this.knows(id)) unknown.push(key);
    if (unknown.length === 0) return;
    const { rows } = await client.query<ModelRow>(this.table.select(unknown));
    for (const row of rows) this.kept.set(keyText(this.table.keyOfRow(row)), row);
  }

  get(id: string): ModelRow | undefined {
    const change = this.waiting.get(id) ?? this.underWay.get(id);
    return change ? change.row : this.kept.get(id);
  }

  apply(fold: ModelFold): void {
    const { changedKeys } = fold;
    if (this.rowPerEvent)
      for (const [id, row] of fold.after) if (row && !changedKeys.has(id)) this.made.add(row);
    for (const [id, key] of changedKeys) {
      if (!fold.after.has(id)) continue;
      const row = fold.after.get(id);
      if (row && row === this.get(id)) continue;
      const before = this.waiting.get(id);
      const stored = before ? before.stored : this.isStored(id);
      if (row && !before) this.ever?.add(id);
      if (row || stored) this.waiting.set(id, { key, row, stored });
      else this.waiting.delete(id);
    }
  }

  /**
   * Takes the waiting changes, to write them in the current transaction. Changes taken before must be `written`
   * already.
   */
  take(): void {
    this.underWay = this.waiting;
    this.waiting = new Map();
    this.madeUnderWay = this.made;
    this.made = this.table.copy();
  }

  /** The queries that write the taken changes. New rows use COPY, which costs a third of an upsert. */
  writes(): QueryToSend[] {
    const fresh: ModelRow[] = [];
    const changed: ModelRow[] = [];
    const gone: PrimaryKey[] = [];
    for (const { key, row, stored } of this.underWay.values()) {
      if (!row) gone.push(key);
      else if (stored) changed.push(row);
      else fresh.push(row);
    }
    return [
      ...(gone.length > 0 ? [this.table.delete(gone)] : []),
      ...(changed.length > 0 ? [this.table.upsert(changed)] : []),
      ...[this.table.copy(fresh), this.madeUnderWay].filter(({ count }) => count > 0),
    ];
  }

  written(): void {
    for (const [id, { row }] of this.underWay) {
      if (row) this.kept.set(id, row);
      else this.kept.delete(id);
    }
    this.underWay = new Map();
    this.madeUnderWay = this.table.copy();
  }

  /** After a failed transaction, only the rows in the table are certain. */
  forget(): void {
    this.waiting = new Map();
    this.underWay = new Map();
    this.made = this.table.copy();
    this.madeUnderWay = this.table.copy();
    this.kept.clear();
  }

  private knows(id: string): boolean {
    return this.waiting.has(id) || this.underWay.has(id) || this.kept.has(id);
  }

  private isStored(id: string): boolean {
    const change = this.underWay.get(id);
    return change ? change.row !== undefined : this.kept.has(id);
  }
}
