/** Calls under way at the same time. A server takes about a hundred on one connection; the rest are for reading. */
const maxConcurrent = 64;

/**
 * Lets the appends to one stream go one after the other, in the order in which they came, and those to different streams
 * side by side, up to a limit.
 */
export class Lanes {
  private readonly lanes = new Map<string, Promise<unknown>>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  async run<T>(lane: string, work: () => Promise<T>): Promise<T> {
    const before = this.lanes.get(lane) ?? Promise.resolve();
    const mine = before.then(() => this.limited(work));
    const settled = mine.catch(() => undefined);
    this.lanes.set(lane, settled);
    try {
      return await mine;
    } finally {
      if (this.lanes.get(lane) === settled) this.lanes.delete(lane);
    }
  }

  /** Resolves when all work is done. */
  async idle(): Promise<void> {
    while (this.lanes.size > 0) await Promise.all(this.lanes.values());
  }

  private async limited<T>(work: () => Promise<T>): Promise<T> {
    // Whoever is woken takes over the place of the one that ended.
    if (this.running >= maxConcurrent) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
