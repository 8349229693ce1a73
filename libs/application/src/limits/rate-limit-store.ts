import { LRUCache } from 'lru-cache';

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

/**
 * The generic cell rate algorithm in its form as a leaky bucket: each request that passes adds one to the level, and
 * the level drains at `perMinute` a minute; a request passes while there is room for it below `perMinute`. So a whole
 * minute's allowance may come in one burst, and after it one request each 60 / `perMinute` seconds.
 */
export interface Bucket {
  /** In requests, with fractions; from 0 to the limit. */
  readonly level: number;
  /** When the level was that, in milliseconds of any clock that never goes back. */
  readonly atMs: number;
}

export interface RateVerdict {
  readonly passed: boolean;
  /** Requests a minute. */
  readonly limit: number;
  /** Requests that would pass at once. */
  readonly remaining: number;
  /** Until the whole allowance is there again, in seconds, rounded up. */
  readonly resetSeconds: number;
  /** Until the next request passes, in seconds, rounded up: at least 1 after a refusal, else 0. */
  readonly retryAfterSeconds: number;
}

/** What rounding may add to a level that is exactly full. */
const tolerance = 1e-6;

/** Counts one request. A refused one leaves the level as it is. */
export function pour(
  bucket: Bucket | undefined,
  perMinute: number,
  nowMs: number,
): { readonly bucket: Bucket; readonly passed: boolean } {
  const drained = bucket ? drain(bucket, perMinute, nowMs) : 0;
  const passed = drained + 1 <= perMinute + tolerance;
  return { bucket: { level: passed ? drained + 1 : drained, atMs: nowMs }, passed };
}

function drain({ level, atMs }: Bucket, perMinute: number, nowMs: number): number {
  // A limit that was lowered meanwhile leaves a full bucket, not one that takes hours to drain.
  return Math.max(0, Math.min(level, perMinute) - (Math.max(0, nowMs - atMs) * perMinute) / 60_000);
}

/** The verdict on the request that left the bucket at this level. */
export function verdictOf(passed: boolean, level: number, limit: number): RateVerdict {
  const secondsEach = 60 / limit;
  return {
    passed,
    limit,
    remaining: Math.max(0, Math.floor(limit - level + tolerance)),
    resetSeconds: Math.ceil(level * secondsEach - tolerance),
    retryAfterSeconds: passed ? 0 : Math.max(1, Math.ceil((level + 1 - limit) * secondsEach - tolerance)),
  };
}
