import { Column } from '../memory/column.js';
import { digestOf, type KeyHash } from '../memory/hash.js';
import { KeyIndex } from '../memory/key-index.js';
import { hashOfRowKey } from './row-key.js';
import { none, type Cell, type Key, type RowStore, type Table } from './row-store.js';

const rowsPerChunk = 8192;

/** Every row of a read model, each cell as 32 bits of its digest. */
export class DigestRows implements RowStore {
  private readonly index = new KeyIndex();
  private readonly present = Column.uint8();
  private readonly met = Column.uint8();
  private readonly slots: Column[];
  private readonly chunks: Uint32Array[] = [];
  private readonly places: Readonly<Record<string, number>>;
  private readonly width: number;

  constructor({ columns, slots = 0 }: Table & { readonly slots?: number }) {
    const names = Object.keys(columns);
    this.width = names.length;
    this.places = Object.fromEntries(names.map((name, place) => [name, place]));
    this.slots = Array.from({ length: slots }, () => Column.float64());
  }

  /** How many there are, those that are gone again included. */
  get size(): number {
    return this.index.size;
  }

  find(key: Key): number {
    const row = this.index.find(hashOfRowKey(key));
    return row >= 0 && this.present.get(row) === 1 ? row : none;
  }

  open(key: Key): number {
    const row = this.index.add(hashOfRowKey(key));
    if (row >= this.chunks.length * rowsPerChunk)
      this.chunks.push(new Uint32Array(rowsPerChunk * this.width));
    this.present.set(row, 1);
    return row;
  }

  remove(row: number): void {
    this.present.set(row, 0);
  }

  write(row: number, cells: Readonly<Record<string, Cell>>): void {
    const chunk = this.chunks[Math.floor(row / rowsPerChunk)]!;
    const first = (row % rowsPerChunk) * this.width;
    for (const name in cells) chunk[first + this.places[name]!] = digestOf(cells[name]);
  }

  get(row: number, slot: number): number {
    return this.slots[slot]!.get(row);
  }

  put(row: number, slot: number, value: number): void {
    this.slots[slot]!.set(row, value);
  }

  /** A row was met in the table. @returns whether all of its cells, in the order of the columns, are as they must be */
  meet(row: number, cells: readonly unknown[]): boolean {
    this.met.set(row, 1);
    const chunk = this.chunks[Math.floor(row / rowsPerChunk)]!;
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
}
