import type { Caller } from '../caller.js';
import { verdictOf, type RateVerdict } from './leaky-bucket.js';
import { MemoryRateLimitStore, type RateLimitStore } from './rate-limit-store.js';

/** What a tenant's account allows each of its keys. */
export interface RateTerms {
  perMinute(caller: Caller): number | Promise<number>;
}

/**
 * Counts the requests of each credential against its account's `rate_limit_per_min`. A shared store that does not
 * answer must not take the service down with it: meanwhile this process counts by itself.
 */
export class RateLimiter {
  private readonly meanwhile = new MemoryRateLimitStore();

  constructor(
    private readonly store: RateLimitStore,
    private readonly terms: RateTerms,
    private readonly onStoreError: (error: unknown) => void = () => undefined,
  ) {}

  /** Counts one request of the caller. @throws EventStoreUnavailable when the terms cannot be read */
  async count(caller: Caller): Promise<RateVerdict> {
    const limit = Math.max(1, await this.terms.perMinute(caller));
    const { passed, level } = await this.store.pour(caller.keyId, limit).catch((error: unknown) => {
      this.onStoreError(error);
      return this.meanwhile.pour(caller.keyId, limit);
    });
    return verdictOf(passed, level, limit);
  }
}
