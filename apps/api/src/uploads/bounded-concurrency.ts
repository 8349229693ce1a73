/** Lets so many run at a time, and so many wait; a caller beyond that is turned away. */
export class BoundedConcurrency {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly limit: number,
    private readonly queueLimit: number,
    private readonly turnAway: () => Error,
  ) {}

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running < this.limit) this.running += 1;
    else if (this.waiting.length >= this.queueLimit) throw this.turnAway();
    // A call that finishes hands its place to the first that waits, so that a later one cannot slip in between.
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
