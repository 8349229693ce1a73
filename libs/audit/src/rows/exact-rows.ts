import type { EventPlace } from '../audited-event.js';
import { hashOfRowKey, hashText } from './row-key.js';
import { none, type Cell, type Key, type RowStore } from './row-store.js';

export interface ExactRow {
  readonly cells: Record<string, Cell>;
  present: boolean;
  /** The event that the row shows last. */
  shows: EventPlace | undefined;
}

/** The rows that are asked for, cell by cell. */
export class ExactRows implements RowStore {
  private readonly rows: ExactRow[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly slots: number[][] = [];
  private event: EventPlace | undefined;

  /** `wanted`: hashes of keys. */
  constructor(private readonly wanted: ReadonlySet<string>) {}

  /** The event that is being folded from now on. */
  begin(event: EventPlace): void {
    this.event = event;
  }

  /** By hash of its key; undefined: history has no such row and never had. */
  row(hash: string): ExactRow | undefined {
    const number = this.numbers.get(hash);
    return number === undefined ? undefined : this.rows[number];
  }

  find(key: Key): number {
    const row = this.numbers.get(hashText(hashOfRowKey(key))) ?? none;
    return row !== none && this.rows[row]!.present ? row : none;
  }

  open(key: Key): number {
    const hash = hashText(hashOfRowKey(key));
    if (!this.wanted.has(hash)) return none;
    let row = this.numbers.get(hash);
    if (row === undefined) {
      row = this.rows.push({ cells: {}, present: true, shows: this.event }) - 1;
      this.slots.push([]);
      this.numbers.set(hash, row);
    }
    this.touch(row).present = true;
    return row;
  }

  remove(row: number): void {
    this.touch(row).present = false;
  }

  write(row: number, cells: Readonly<Record<string, Cell>>): void {
    Object.assign(this.touch(row).cells, cells);
  }

  get(row: number, slot: number): number {
    return this.slots[row]![slot] ?? 0;
  }

  put(row: number, slot: number, value: number): void {
    this.slots[row]![slot] = value;
  }

  private touch(number: number): ExactRow {
    const row = this.rows[number]!;
    row.shows = this.event;
    return row;
  }
}
