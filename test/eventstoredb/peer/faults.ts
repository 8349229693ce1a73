import { setTimeout as sleep } from 'node:timers/promises';

/** The faults that the peer can be set to have. All are off at first. */
export class Faults {
  /** Takes every call and never answers. */
  silent = false;
  /** Every answer takes this long. */
  slowMs = 0;
  /** The number of appends that are carried out and then answered by a broken connection. */
  dropAfterCommit = 0;
  /** Streams that were deleted for good: appends to them are refused. */
  readonly tombstones = new Set<string>();
  /** This many appends fail with this gRPC code before anything happens. */
  failAppends: { code: number; details: string; times: number } | undefined;
  /** Bytes in one append. */
  maxAppendBytes = 1024 * 1024;
  /** Answers to repeated appends have no position. */
  forgetPositions = false;
  /**
   * The number of appends on the batch call that are carried out before the call ends without an answer, as if
   * complete.
   */
  endAfterCommit = 0;
  /** Answers on the batch call give the id of the append in two halves. */
  structuredIds = false;
  readonly interruptions = new Set<(by: 'error' | 'end') => void>();
  private abandoned = Promise.withResolvers<void>();
  private readonly subscriptionFaults: ('error' | 'end')[] = [];

  /** The next subscriptions fail as they begin. */
  failSubscriptions(...faults: ('error' | 'end')[]): void {
    this.subscriptionFaults.push(...faults);
  }

  takeSubscriptionFault(): 'error' | 'end' | undefined {
    return this.subscriptionFaults.shift();
  }

  /** Ends all subscriptions: with an error, or as if they were complete. */
  interrupt(by: 'error' | 'end'): void {
    for (const interruption of new Set(this.interruptions)) interruption(by);
  }

  async pause(): Promise<void> {
    if (this.slowMs > 0) await sleep(this.slowMs);
  }

  /** The failure of the next append before anything happens. */
  takeAppendFailure(): { code: number; details: string } | undefined {
    return this.failAppends && this.failAppends.times-- > 0 ? this.failAppends : undefined;
  }

  /** After an append was carried out: whether its answer is lost. */
  async loseAnswer(breakConnections: () => Promise<void>): Promise<boolean> {
    if (this.silent) return true;
    if (this.dropAfterCommit === 0) return false;
    this.dropAfterCommit -= 1;
    await breakConnections();
    return true;
  }

  /** Sends nothing more to the current subscriptions, and does not end them either. */
  abandonSubscriptions(): void {
    this.abandoned = Promise.withResolvers<void>();
  }

  /**
   * Returns a function that a new subscription calls before each event: it gives the promise to await, or
   * undefined until the subscription is abandoned.
   */
  subscriptionPace(): () => Promise<void> | undefined {
    const { abandoned } = this;
    return () => (abandoned === this.abandoned ? undefined : this.abandoned.promise);
  }
}
