/** 64 bits in two halves. Two different keys among a million share one with a chance of about 1 in 30 million. */
export interface KeyHash {
  readonly high: number;
  readonly low: number;
}

/** Of a text, UTF-16 unit by unit (the mixing is cyrb53's, both lanes kept). `salt` tells the parts of a compound key apart. */
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
  return { high: two >>> 0, low: one >>> 0 };
}

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);

/**
 * 32 bits that stand for a value: text, number, or anything that JSON can say. The order of an object's members does
 * not count, for jsonb keeps one of its own.
 */
export function digestOf(value: unknown): number {
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
      // What is read from JSON or a row is a list or a plain object here.
      return Array.isArray(value) ? digestOfList(value) : digestOfObject(value as Record<string, unknown>);
    default:
      return 0x38495ab5;
  }
}

function digestOfText(text: string): number {
  const { high, low } = hashKey(text);
  return (high ^ low) >>> 0;
}

function digestOfList(list: readonly unknown[]): number {
  let digest = 0x3c6ef372;
  for (const item of list) digest = mix(digest, digestOf(item));
  return digest;
}

function digestOfObject(object: Record<string, unknown>): number {
  let digest = 0x1f83d9ab;
  for (const name in object) {
    const member = object[name];
    if (member !== undefined) digest = (digest + mix(digestOfText(name), digestOf(member))) >>> 0;
  }
  return digest;
}

function mix(one: number, two: number): number {
  let mixed = Math.imul(one ^ (two >>> 15), 0x85ebca6b) ^ Math.imul(two ^ (one >>> 13), 0xc2b2ae35);
  mixed ^= mixed >>> 16;
  mixed = Math.imul(mixed, 0x27d4eb2f);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
