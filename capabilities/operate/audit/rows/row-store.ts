import type { Revision } from '../findings.js';
import { Column, hashOf, hashKey, KeyIndex, type KeyHash } from '../memory/columns.js';

/** How a column is compared: times in milliseconds, JSON without the order of members. */
export type ColumnKind = 'text' | 'integer' | 'time' | 'json';

export type RowCell = string | number | boolean | null | object;

/** The values of a row's primary key. */
export type RowKey = readonly (string | number)[];

/** The row does not exist, or is not asked for. */
export const none = -1;

/** The rows that a read model must have. Models and folds write to either of the two stores below. */
export interface RowStore {
  /** Whether this row is asked for. */
  wants(key: RowKey): boolean;
  /** The number of a row that exists, or {@link none}. */
  find(key: RowKey): number;
  /** The number of a row, which exists from now on; {@link none}: the row is not wanted. */
  open(key: RowKey): number;
  remove(row: number): void;
  write(row: number, cells: Readonly<Record<string, RowCell>>): void;
  writeCell(row: number, column: string, cell: RowCell): void;
  /** Numbers that a model needs to go on, beside the cells. They begin as 0. */
  get(row: number, slot: number): number;
  put(row: number, slot: number, value: number): void;
}

/** Every part counts: several rows of a table may share all but one. PostgreSQL's text holds no NUL. */
export function textOfRowKey(key: RowKey): string {
  return key.length === 1 ? String(key[0]) : key.join('\0');
}

export function hashOfRowKey(key: RowKey): KeyHash {
  return hashKey(textOfRowKey(key));
}

/** A hash as the key of a map. */
export function hashText({ high, low }: KeyHash): string {
  return `${high}.${low}`;
}

const rowsPerChunk = 8192;

/** Every row of a read model, each cell as 32 bits of its digest. */
export class DigestRows implements RowStore {
  private readonly index = new KeyIndex();
  private readonly present = Column.uint8();
  private readonly met = Column.uint8();
  private readonly slots: readonly Column[];
  private readonly chunks: Int32Array[] = [];
  /** By column: its place in a row. */
  private readonly places: ReadonlyMap<string, number>;
  private readonly width: number;

  constructor(columns: readonly string[], slots: number) {
    this.width = columns.length;
    this.places = new Map(columns.map((name, place) => [name, place]));
    this.slots = Array.from({ length: slots }, () => Column.float64());
  }

  /** How many there are, those that are gone again included. */
  get size(): number {
    return this.index.size;
  }

  wants(): boolean {
    return true;
  }

  find(key: RowKey): number {
    const row = this.index.find(hashOfRowKey(key));
    return row >= 0 && this.present.get(row) === 1 ? row : none;
  }

  open(key: RowKey): number {
    const row = this.index.add(hashOfRowKey(key));
    if (row >= this.chunks.length * rowsPerChunk) this.chunks.push(new Int32Array(rowsPerChunk * this.width));
    this.present.set(row, 1);
    return row;
  }

  remove(row: number): void {
    this.present.set(row, 0);
  }

  write(row: number, cells: Readonly<Record<string, RowCell>>): void {
    for (const name in cells) this.writeCell(row, name, cells[name] ?? null);
  }

  writeCell(row: number, column: string, cell: RowCell): void {
    const place = this.places.get(column);
    if (place !== undefined) this.chunkOf(row)[(row % rowsPerChunk) * this.width + place] = hashOf(cell);
  }

  get(row: number, slot: number): number {
    return this.slots[slot]?.get(row) ?? 0;
  }

  put(row: number, slot: number, value: number): void {
    this.slots[slot]?.set(row, value);
  }

  /** Checks a row of the table. @returns whether all of its cells, in the order of the columns, are right */
  meet(row: number, cells: readonly unknown[]): boolean {
    this.met.set(row, 1);
    const chunk = this.chunkOf(row);
    const first = (row % rowsPerChunk) * this.width;
    for (let place = 0; place < this.width; place++) {
      if (chunk[first + place] !== hashOf(cells[place])) return false;
    }
    return true;
  }

  /** The keys of rows that were never met. */
  *missing(): Generator<KeyHash> {
    for (let row = 0; row < this.index.size; row++) {
      if (this.present.get(row) === 1 && this.met.get(row) === 0) yield this.index.hashOf(row);
    }
  }

  private chunkOf(row: number): Int32Array {
    const chunk = this.chunks[Math.floor(row / rowsPerChunk)];
    if (!chunk) throw new RangeError(`there is no row ${row}`);
    return chunk;
  }
}

export interface ExactRow {
  readonly cells: Record<string, RowCell>;
  readonly slots: number[];
  present: boolean;
  /** The event that the row shows last. */
  shows: Revision | undefined;
}

/** The full cells of the few rows that are wrong. */
export class ExactRows implements RowStore {
  private readonly rows: ExactRow[] = [];
  private readonly numbers = new Map<string, number>();
  private event: Revision | undefined;

  /** `wanted`: hashes of keys. */
  constructor(private readonly wanted: ReadonlySet<string>) {}

  /** The event that is being folded from now on. */
  begin({ stream, revision }: Revision): void {
    this.event = { stream, revision };
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
