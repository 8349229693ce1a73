import { LRUCache } from 'lru-cache';
import { pour, type Bucket } from './leaky-bucket.js';

/** Where the buckets of all credentials are. Counting is atomic: of calls at the same time, as many pass as may. */
export abstract class RateLimitStore {
  /** Counts one request. @returns the level that it left, in requests */
  abstract pour(
    credential: string,
    perMinute: number,
  ): Promise<{ readonly passed: boolean; readonly level: number }>;
}

/** Exact within one process. Of several, each lets the whole limit through. */
export class MemoryRateLimitStore implements RateLimitStore {
  private readonly buckets: LRUCache<string, Bucket>;

  constructor(
    credentials = 100_000,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.buckets = new LRUCache({ max: credentials });
  }

  pour(credential: string, perMinute: number): Promise<{ passed: boolean; level: number }> {
    const { bucket, passed } = pour(this.buckets.get(credential), perMinute, this.nowMs());
    this.buckets.set(credential, bucket);
    return Promise.resolve({ passed, level: bucket.level });
  }
}
