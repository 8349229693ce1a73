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

/** The same without waiting, and each tenant has only some of the places: one with slow servers does not take all. */
export class TenantPlaces {
  private readonly all: BoundedConcurrency;
  private readonly taken = new Map<string, number>();

  constructor(
    places: number,
    private readonly ofTenant: number,
    private readonly turnAway: () => Error,
  ) {
    this.all = new BoundedConcurrency(places, 0, turnAway);
  }

  /** @throws the error of `turnAway` when no place is free */
  async run<Result>(tenant: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.taken.get(tenant) ?? 0;
    if (before >= this.ofTenant) throw this.turnAway();
    this.taken.set(tenant, before + 1);
    try {
      return await this.all.run(work);
    } finally {
      const rest = (this.taken.get(tenant) ?? 1) - 1;
      if (rest === 0) this.taken.delete(tenant);
      else this.taken.set(tenant, rest);
    }
  }
}
