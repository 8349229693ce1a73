/**
 * 64 bits in two signed halves, which V8 stores without boxing. Two different keys among a million share one with a
 * chance of about 1 in 30 million.
 */
export interface KeyHash {
  readonly high: number;
  readonly low: number;
}

/**
 * The hash of a text, UTF-16 unit by unit (the mixing is cyrb53's, with both lanes kept). `salt` separates the parts of
 * a compound key.
 */
export function hashKey(text: string, salt = 0): KeyHash {
  let one = 0xdeadbeef ^ salt;
  let two = 0x41c6ce57 ^ Math.imul(salt, 0x9e3779b1);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 2654435761);
    two = Math.imul(two ^ unit, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909);
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return { high: two | 0, low: one | 0 };
}

const double = new Float64Array(1);
const words = new Int32Array(double.buffer);

/**
 * 32 bits, signed, that stand for a value: text, number, or anything that JSON can say. The order of an object's
 * members does not count, because jsonb changes it.
 */
export function hashOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return digestOfText(value);
    case 'number':
      // Adding 0 makes −0 the 0 that PostgreSQL gives back.
      double[0] = value + 0;
      return mix(words[0]!, words[1]!);
    case 'boolean':
      return value ? 0x51ed270b : 0x2545f491;
    case 'object':
      if (value === null) return 0x1b873593;
      // A value from JSON or a row can only be a list or a plain object here.
      return Array.isArray(value) ? digestOfList(value) : digestOfObject(value as Record<string, unknown>);
    default:
      return 0x38495ab5;
  }
}

function digestOfText(text: string): number {
  const { high, low } = hashKey(text);
  return high ^ low;
}

function digestOfList(list: readonly unknown[]): number {
  let digest = 0x3c6ef372;
  for (const item of list) digest = mix(digest, hashOf(item));
  return digest;
}

function digestOfObject(object: Record<string, unknown>): number {
  let digest = 0x1f83d9ab;
  for (const name in object) {
    const member = object[name];
    if (member !== undefined) digest = (digest + mix(digestOfText(name), hashOf(member))) | 0;
  }
  return digest;
}

function mix(one: number, two: number): number {
  let mixed = Math.imul(one ^ (two >>> 15), 0x85ebca6b) ^ Math.imul(two ^ (one >>> 13), 0xc2b2ae35);
  mixed ^= mixed >>> 16;
  mixed = Math.imul(mixed, 0x27d4eb2f);
  return mixed ^ (mixed >>> 15);
}

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
  private readonly high = Column.int32();
  private readonly low = Column.int32();
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
