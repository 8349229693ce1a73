const windowMs = 15_000;

/**
 * A role in trouble may log hundreds of errors in a second, and its log has them all. The terminal gets the first one
 * at once, and after a while one line about how many followed.
 */
export class ErrorSummary {
  private timer: NodeJS.Timeout | undefined;
  private more = 0;
  private latest = '';

  constructor(
    private readonly role: string,
    private readonly logPath: string,
    private readonly warn: (line: string) => void,
  ) {}

  add(message: string): void {
    if (this.timer) {
      this.more += 1;
      this.latest = message;
      return;
    }
    this.warn(`${this.role}: ${message} (${this.logPath})`);
    this.timer = setTimeout(() => this.flush(), windowMs).unref();
  }

  /** Tells what has come together; from now on an error is shown at once again. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.more === 0) return;
    const many = this.more === 1 ? 'one more error' : `${this.more} more errors, the last`;
    this.warn(`${this.role}: ${many}: ${this.latest} (${this.logPath})`);
    this.more = 0;
  }
}
