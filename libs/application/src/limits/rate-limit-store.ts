import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '#platform/cache-size.js';

/** The count within a request's minute. It includes the request itself if it passed. */
export interface Counted {
  readonly passed: boolean;
  /** Requests that passed within the last minute. */
  readonly used: number;
  /**
   * Milliseconds until the first of them leaves the window, and until the last one does; 0 if there is none.
   */
  readonly firstLeavesMs: number;
  readonly lastLeavesMs: number;
}

/** Counts the requests of all credentials atomically: parallel calls never exceed the limit together. */
export abstract class RateLimitStore {
  /** Counts one request; a refused one does not count. */
  abstract count(credential: string, perMinute: number): Promise<Counted>;
}

/** Credentials that work once, such as a signature. If several processes use one at once, one is the first. */
export abstract class UsedOnce {
  /**
   * @param until from then on its age alone refuses it, and it can be forgotten
   * @returns whether this is the first use
   */
  abstract use(credential: string, until: Date): Promise<boolean>;
}

/** Exact within one process. With several processes, each lets the whole limit through. */
export class MemoryRateLimitStore implements RateLimitStore {
  private readonly windows: LRUCache<string, RequestWindow>;

  constructor(
    credentials = 10_000,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.windows = new LRUCache(entriesUpTo(credentials));
  }

  count(credential: string, perMinute: number): Promise<Counted> {
    return Promise.resolve(windowOf(this.windows, credential).count(perMinute, this.nowMs()));
  }
}

export function windowOf(windows: LRUCache<string, RequestWindow>, name: string): RequestWindow {
  let window = windows.get(name);
  if (!window) windows.set(name, (window = new RequestWindow()));
  return window;
}

export const windowMs = 60_000;

/** How much longer a request that passed at that time counts. */
export function leavesIn(passedAtMs: number | undefined, nowMs: number): number {
  return passedAtMs === undefined ? 0 : windowMs - (nowMs - passedAtMs);
}

/** Requests of one slot count as one entry. A window thus has about 240 entries at most, whatever the limit. */
export const slotMs = 250;

/**
 * The requests that passed within the last minute. A slot leaves when its last request is a minute old, so no
 * minute ever has more requests than the limit. A client that keeps exactly to the limit loses the width of a
 * slot: 0.4 %.
 */
export class RequestWindow {
  /** Oldest first. */
  private readonly slots: { lastAtMs: number; requests: number }[] = [];
  private used = 0;

  /** @param nowMs from any clock; if the clock goes back, the last time counts */
  count(perMinute: number, nowMs: number): Counted {
    const last = this.slots.at(-1);
    const at = Math.max(nowMs, last?.lastAtMs ?? nowMs);
    this.forget(at - windowMs);
    const passed = this.used < perMinute;
    if (passed) this.note(at);
    const { slots, used } = this;
    return {
      passed,
      used,
      firstLeavesMs: leavesIn(slots[0]?.lastAtMs, at),
      lastLeavesMs: leavesIn(slots.at(-1)?.lastAtMs, at),
    };
  }

  takeBack(): void {
    const last = this.slots.at(-1);
    if (!last) return;
    this.used -= 1;
    last.requests -= 1;
    if (last.requests === 0) this.slots.pop();
  }

  private forget(untilMs: number): void {
    for (let [first] = this.slots; first && first.lastAtMs <= untilMs; [first] = this.slots) {
      this.used -= first.requests;
      this.slots.shift();
    }
  }

  private note(atMs: number): void {
    const last = this.slots.at(-1);
    this.used += 1;
    if (last && Math.floor(last.lastAtMs / slotMs) === Math.floor(atMs / slotMs)) {
      last.lastAtMs = atMs;
      last.requests += 1;
    } else this.slots.push({ lastAtMs: atMs, requests: 1 });
  }
}

export interface RateVerdict {
  readonly passed: boolean;
  /** Requests a minute. */
  readonly limit: number;
  /** Requests that would pass at once. */
  readonly remaining: number;
  /** Seconds until the whole allowance is back, rounded up. */
  readonly resetSeconds: number;
  /** Seconds until the next request passes, rounded up: at least 1 after a refusal, else 0. */
  readonly retryAfterSeconds: number;
}

export function verdictOf(
  { passed, used, firstLeavesMs, lastLeavesMs }: Counted,
  limit: number,
): RateVerdict {
  return {
    passed,
    limit,
    remaining: Math.max(0, limit - used),
    resetSeconds: Math.ceil(lastLeavesMs / 1_000),
    retryAfterSeconds: passed ? 0 : Math.max(1, Math.ceil(firstLeavesMs / 1_000)),
  };
}
