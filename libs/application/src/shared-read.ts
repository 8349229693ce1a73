/**
 * A read whose answer is never older than the question. A call that comes while a read is under way shares the next one with
 * all others who do: under load that is one read after the other, however many ask.
 */
export class SharedRead<Value> {
  private current: Promise<Value> | undefined;
  private next: Promise<Value> | undefined;

  constructor(private readonly read: () => Promise<Value>) {}

  /** @throws what `read` throws, to all who share it */
  ask(): Promise<Value> {
    if (!this.current) return this.begin();
    // What the one under way gives may have been read before the question.
    const over = this.current.then(
      () => undefined,
      () => undefined,
    );
    return (this.next ??= over.then(() => this.begin()));
  }

  private begin(): Promise<Value> {
    this.next = undefined;
    const reading = this.read();
    this.current = reading;
    const end = () => {
      if (this.current === reading) this.current = undefined;
    };
    reading.then(end, end);
    return reading;
  }
}
