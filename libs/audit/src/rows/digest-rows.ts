import { Column, KeyIndex } from '../memory/columns.js';
import { digestOf, type KeyHash } from '../memory/hash.js';
import { hashOfRowKey, none, type RowCell, type RowKey, type RowStore } from './row-store.js';

const rowsPerChunk = 8192;

/** Every row of a read model, each cell as 32 bits of its digest. */
export class DigestRows implements RowStore {
  private readonly index = new KeyIndex();
  private readonly present = Column.uint8();
  private readonly met = Column.uint8();
  private readonly slots: readonly Column[];
  private readonly chunks: Uint32Array[] = [];
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
    if (row >= this.chunks.length * rowsPerChunk)
      this.chunks.push(new Uint32Array(rowsPerChunk * this.width));
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
    if (place !== undefined) this.chunkOf(row)[(row % rowsPerChunk) * this.width + place] = digestOf(cell);
  }

  get(row: number, slot: number): number {
    return this.slots[slot]?.get(row) ?? 0;
  }

  put(row: number, slot: number, value: number): void {
    this.slots[slot]?.set(row, value);
  }

  /** A row was met in the table. @returns whether all of its cells, in the order of the columns, are as they must be */
  meet(row: number, cells: readonly unknown[]): boolean {
    this.met.set(row, 1);
    const chunk = this.chunkOf(row);
    const first = (row % rowsPerChunk) * this.width;
    for (let place = 0; place < this.width; place++) {
      if (chunk[first + place] !== digestOf(cells[place])) return false;
    }
    return true;
  }

  /** The keys of rows that were never met. */
  *missing(): Generator<KeyHash> {
    for (let row = 0; row < this.index.size; row++) {
      if (this.present.get(row) === 1 && this.met.get(row) === 0) yield this.index.hashOf(row);
    }
  }

  private chunkOf(row: number): Uint32Array {
    const chunk = this.chunks[Math.floor(row / rowsPerChunk)];
    if (!chunk) throw new RangeError(`there is no row ${row}`);
    return chunk;
  }
}
