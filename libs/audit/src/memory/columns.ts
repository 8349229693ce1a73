import type { KeyHash } from './hash.js';

type Numbers = Uint8Array | Uint32Array | Int32Array | Float64Array;

const firstCapacity = 64;

/** One property of many things, by their number: a few bytes each, where an object would take a hundred. Begins as 0. */
export class Column {
  private values: Numbers;

  constructor(private readonly make: (length: number) => Numbers) {
    this.values = make(firstCapacity);
  }

  static readonly uint8 = (): Column => new Column((length) => new Uint8Array(length));
  static readonly uint32 = (): Column => new Column((length) => new Uint32Array(length));
  static readonly int32 = (): Column => new Column((length) => new Int32Array(length));
  static readonly float64 = (): Column => new Column((length) => new Float64Array(length));

  get(index: number): number {
    return this.values[index] ?? 0;
  }

  set(index: number, value: number): void {
    if (index >= this.values.length) this.grow(index);
    this.values[index] = value;
  }

  private grow(index: number): void {
    let length = this.values.length * 2;
    while (length <= index) length *= 2;
    const larger = this.make(length);
    larger.set(this.values);
    this.values = larger;
  }
}

const firstSlots = 128;
const fullestShare = 0.6;

/** Numbers keys 0, 1, 2 … in the order in which they come, by their hash alone: 16 to 25 bytes a key. */
export class KeyIndex {
  /** Open addressing: the number of a key, plus 1; 0 is free. */
  private slots = new Uint32Array(firstSlots);
  private readonly high = Column.uint32();
  private readonly low = Column.uint32();
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** The key's number, or −1. */
  find(hash: KeyHash): number {
    return this.numberAt(this.slotOf(hash));
  }

  /** The key's number, new or known: a new one equals the size before. */
  add(hash: KeyHash): number {
    const slot = this.slotOf(hash);
    const known = this.numberAt(slot);
    if (known >= 0) return known;
    const number = this.count++;
    this.high.set(number, hash.high);
    this.low.set(number, hash.low);
    this.slots[slot] = this.count;
    if (this.count > this.slots.length * fullestShare) this.grow();
    return number;
  }

  hashOf(number: number): KeyHash {
    return { high: this.high.get(number), low: this.low.get(number) };
  }

  private numberAt(slot: number): number {
    return (this.slots[slot] ?? 0) - 1;
  }

  private slotOf(hash: KeyHash): number {
    const mask = this.slots.length - 1;
    for (let slot = (hash.low ^ hash.high) & mask; ; slot = (slot + 1) & mask) {
      const number = this.numberAt(slot);
      if (number < 0) return slot;
      if (this.low.get(number) === hash.low && this.high.get(number) === hash.high) return slot;
    }
  }

  private grow(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let number = 0; number < this.count; number++)
      this.slots[this.slotOf(this.hashOf(number))] = number + 1;
  }
}
