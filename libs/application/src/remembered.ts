import { LRUCache } from 'lru-cache';

/**
 * What streams said, remembered until it is forgotten ({@link forget}) or a time has passed. A value that is
 * being read while its stream changes is given out once and not remembered: it may be the older one.
 */
export class Remembered<Value extends object | string | number> {
  private readonly values: LRUCache<string, Value>;
  /** Reads under way; those that come meanwhile share them. */
  private readonly reading = new Map<string, Promise<Value>>();

  constructor(options: { readonly max: number; readonly ttlMs: number }) {
    this.values = new LRUCache({ max: options.max, ttl: options.ttlMs });
  }

  /** The value, read when it is not known. @throws what `read` throws, which is then not remembered */
  get(key: string, read: () => Promise<Value>): Value | Promise<Value> {
    const known = this.values.get(key);
    if (known !== undefined) return known;
    return this.reading.get(key) ?? this.read(key, read);
  }

  forget(key: string): void {
    this.values.delete(key);
    this.reading.delete(key);
  }

  private async read(key: string, read: () => Promise<Value>): Promise<Value> {
    const reading = read();
    this.reading.set(key, reading);
    try {
      const value = await reading;
      if (this.reading.get(key) === reading) this.values.set(key, value);
      return value;
    } finally {
      if (this.reading.get(key) === reading) this.reading.delete(key);
    }
  }
}
