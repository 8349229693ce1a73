/**
 * A map of the newest entries. It keeps at least `atLeast` of them, and at most twice as many. It holds two
 * halves and drops a whole half at a time. With hundreds of thousands of entries, that costs a fraction of an
 * exact order of use.
 */
export class RecentMap<Key, Value> {
  private recent = new Map<Key, Value>();
  private older = new Map<Key, Value>();

  /** @param forgetting called each time before entries are dropped */
  constructor(
    private readonly atLeast: number,
    private readonly forgetting?: () => void,
  ) {}

  get(key: Key): Value | undefined {
    return this.recent.get(key) ?? this.older.get(key);
  }

  has(key: Key): boolean {
    return this.recent.has(key) || this.older.has(key);
  }

  set(key: Key, value: Value): void {
    this.recent.set(key, value);
    if (this.recent.size < this.atLeast) return;
    if (this.older.size > 0) this.forgetting?.();
    this.older = this.recent;
    this.recent = new Map();
  }

  delete(key: Key): void {
    this.recent.delete(key);
    this.older.delete(key);
  }

  clear(): void {
    this.recent.clear();
    this.older.clear();
  }
}
