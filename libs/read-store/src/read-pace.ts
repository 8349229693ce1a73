/** Announces that a read waits for rows. */
export const waitingChannel = 'atelier_read_waits';

/** In milliseconds. A read that waits costs little more than this. */
const hurriedMs = 5;

/**
 * How long events may wait for more events before they are folded. Larger batches cost less, so it is longer while no
 * read waits for rows.
 */
export class ReadPace {
  private hurriedUntil = -Infinity;

  constructor(private readonly unhurriedMs: number) {}

  /**
   * A read waits for the rows of events that are on the log now. The next look at the log finds them. A look that has
   * just been taken is followed by another one within the unhurried time, so this has an effect for as long.
   */
  hurry(): void {
    this.hurriedUntil = performance.now() + this.unhurriedMs;
  }

  readonly patienceMs = (): number =>
    performance.now() < this.hurriedUntil ? Math.min(hurriedMs, this.unhurriedMs) : this.unhurriedMs;
}
