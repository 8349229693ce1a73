import { setTimeout as sleep } from 'node:timers/promises';

/** What the peer can be told to do wrong. All off at first. */
export class Faults {
  /** Takes every call and never answers. */
  silent = false;
  /** Takes new subscriptions and never says anything. */
  silentSubscriptions = false;
  /** Every answer takes this long. */
  slowMs = 0;
  /** So many appends are carried out and then answered by a broken connection. */
  dropAfterCommit = 0;
  /** Streams that were deleted for good: no append to them is taken. */
  readonly tombstones = new Set<string>();
  /** So many appends are answered by this gRPC code before anything happened. */
  failAppends: { code: number; details: string; times: number } | undefined;
  /** Bytes in one append. */
  maxAppendBytes = 1024 * 1024;
  /** Idempotent answers do not tell a position. */
  forgetPositions = false;
  /** So many appends on the batch call are carried out, and the call is ended as if all had been said. */
  endAfterCommit = 0;
  /** Answers on the batch call name the append by two halves of its id. */
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

  /** Ends all subscriptions: by an error after which nothing comes, or as if all had been said. */
  interrupt(by: 'error' | 'end'): void {
    for (const interruption of new Set(this.interruptions)) interruption(by);
  }

  async pause(): Promise<void> {
    if (this.slowMs > 0) await sleep(this.slowMs);
  }

  /** Says nothing more to those who have a subscription now, and does not end it either. */
  abandonSubscriptions(): void {
    this.abandoned = Promise.withResolvers<void>();
  }

  /** What a new subscription waits for before each event: undefined as long as nobody has abandoned it. */
  subscriptionPace(): () => Promise<void> | undefined {
    const { abandoned } = this;
    return () => (abandoned === this.abandoned ? undefined : this.abandoned.promise);
  }
}
