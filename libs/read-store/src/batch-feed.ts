import type { SubscriptionBatch } from '#event-store/event-store.js';
import { pause } from '#platform/retry.js';

/** Yields the batches of a subscription. It reads a batch while the caller works on the one before. */
export class BatchFeed {
  private readonly batches: AsyncIterator<SubscriptionBatch>;
  private coming: Promise<IteratorResult<SubscriptionBatch>>;
  private arrived = false;

  constructor(
    subscription: AsyncIterable<SubscriptionBatch>,
    private readonly signal: AbortSignal,
  ) {
    this.batches = subscription[Symbol.asyncIterator]();
    this.coming = this.fetch();
  }

  /** Undefined when the subscription has ended. Throws what it throws. */
  async next(): Promise<SubscriptionBatch | undefined> {
    const { done, value } = await this.coming;
    if (done) return undefined;
    this.coming = this.fetch();
    return value;
  }

  /** Whether `next` has an answer already, or gets one within this time in milliseconds. */
  async another(withinMs = 0): Promise<boolean> {
    if (!this.arrived && withinMs > 0)
      await Promise.race([this.coming.catch(() => undefined), pause(withinMs, this.signal)]);
    return this.arrived;
  }

  private fetch(): Promise<IteratorResult<SubscriptionBatch>> {
    this.arrived = false;
    const coming = this.batches.next();
    const arrive = () => {
      this.arrived = true;
    };
    coming.then(arrive, arrive);
    return coming;
  }
}
