/** Limits the calls that run and, if a limit is given, the calls that wait. Further calls are refused. */
export class BoundedConcurrency {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly limit: number,
    private readonly queueLimit = Infinity,
    private readonly turnAway = () => new Error('the queue is full'),
  ) {}

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running < this.limit) this.running += 1;
    else if (this.waiting.length >= this.queueLimit) throw this.turnAway();
    // A call that ends gives its place to the first waiting call, so that a later one cannot overtake it.
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
