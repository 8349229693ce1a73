import type { EventOrigin } from '../audited-event.js';
import { hashOfRowKey, hashText, none, type RowCell, type RowKey, type RowStore } from './row-store.js';

export interface ExactRow {
  readonly cells: Record<string, RowCell>;
  readonly slots: number[];
  present: boolean;
  /** The event that the row shows last. */
  shows: EventOrigin | undefined;
}

/** The rows that are asked for, cell by cell. */
export class ExactRows implements RowStore {
  private readonly rows: ExactRow[] = [];
  private readonly numbers = new Map<string, number>();
  private event: EventOrigin | undefined;

  /** `wanted`: hashes of keys. */
  constructor(private readonly wanted: ReadonlySet<string>) {}

  /** The event that is being folded from now on. */
  begin(event: EventOrigin): void {
    this.event = event;
  }

  /** By hash of its key; undefined: history has no such row and never had. */
  row(hash: string): ExactRow | undefined {
    return this.rows[this.numbers.get(hash) ?? none];
  }

  wants(key: RowKey): boolean {
    return this.wanted.has(hashText(hashOfRowKey(key)));
  }

  find(key: RowKey): number {
    const number = this.numbers.get(hashText(hashOfRowKey(key))) ?? none;
    return this.rows[number]?.present ? number : none;
  }

  open(key: RowKey): number {
    const hash = hashText(hashOfRowKey(key));
    if (!this.wanted.has(hash)) return none;
    let number = this.numbers.get(hash);
    if (number === undefined) {
      number = this.rows.push({ cells: {}, slots: [], present: true, shows: this.event }) - 1;
      this.numbers.set(hash, number);
    }
    this.touch(number).present = true;
    return number;
  }

  remove(row: number): void {
    this.touch(row).present = false;
  }

  write(row: number, cells: Readonly<Record<string, RowCell>>): void {
    Object.assign(this.touch(row).cells, cells);
  }

  writeCell(row: number, column: string, cell: RowCell): void {
    this.touch(row).cells[column] = cell;
  }

  get(row: number, slot: number): number {
    return this.rows[row]?.slots[slot] ?? 0;
  }

  put(row: number, slot: number, value: number): void {
    this.touch(row).slots[slot] = value;
  }

  private touch(number: number): ExactRow {
    const row = this.rows[number];
    if (!row) throw new RangeError(`there is no row ${number}`);
    row.shows = this.event;
    return row;
  }
}
