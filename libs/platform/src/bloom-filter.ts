/**
 * 2 MiB. After a million added texts, `mayHave` is wrong for one in eighty other texts; after ten million, for
 * every second one.
 */
const words = 2 ** 19;
/** A hash has 32 bits; 24 of them name one of 2^24 bits, and the rest is spare. */
const spare = 8;

/**
 * A set of texts in a fixed amount of memory. The answer `false` is certain, `true` is not. Each text sets two
 * bits. Each bit comes from one of two multiplicative hashes (FNV-1a, and the same with another prime).
 */
export class BloomFilter {
  private readonly bits = new Uint32Array(words);

  add(text: string): void {
    for (const bit of bitsOf(text)) this.bits[bit >>> 5]! |= 1 << (bit & 31);
  }

  mayHave(text: string): boolean {
    return bitsOf(text).every((bit) => this.bits[bit >>> 5]! & (1 << (bit & 31)));
  }
}

function bitsOf(text: string): [number, number] {
  let [one, other] = [0x811c9dc5, 0x811c9dc5];
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b);
  }
  return [one >>> spare, other >>> spare];
}
