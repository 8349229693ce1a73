import { Column } from './column.js';
import type { KeyHash } from './hash.js';

const firstSlots = 4096;
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
    return this.slots[this.slotOf(hash)]! - 1;
  }

  /** The key's number, new or known: a new one equals the size before. */
  add(hash: KeyHash): number {
    const slot = this.slotOf(hash);
    const known = this.slots[slot]! - 1;
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

  private slotOf(hash: KeyHash): number {
    const mask = this.slots.length - 1;
    for (let slot = (hash.low ^ hash.high) & mask; ; slot = (slot + 1) & mask) {
      const number = this.slots[slot]! - 1;
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
