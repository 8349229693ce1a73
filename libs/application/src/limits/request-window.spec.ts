import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { MemoryRateLimitStore, RequestWindow, slotMs, verdictOf, windowMs } from './rate-limit-store.js';

/** Counts one request at each of these moments and returns which of them passed. */
function countAt(perMinute: number, moments: readonly number[]): boolean[] {
  const window = new RequestWindow();
  return moments.map((nowMs) => window.count(perMinute, nowMs).passed);
}

const passes = (results: readonly boolean[]) => results.filter(Boolean).length;
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('a minute of requests', () => {
  it.each([1, 2, 7, 50, 60, 600, 9_999])('of %s lets exactly that many through at once', (limit) => {
    expect(passes(countAt(limit, times(limit + 10, 5)))).toBe(limit);
  });

  it('never has more than the limit, whatever the rhythm, and wastes less than a slot', () => {
    const pauses = fc.array(fc.nat({ max: 3_000 }), { minLength: 100, maxLength: 400 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 80 }), pauses, (limit, between) => {
        let at = 0;
        const moments = between.map((pause) => (at += pause % 3 === 0 ? 0 : pause));
        const passed: number[] = [];
        for (const [index, ok] of countAt(limit, moments).entries()) {
          const now = moments[index] as number;
          const within = (lastMs: number) => passed.filter((moment) => moment > now - lastMs).length;
          if (ok) expect(within(windowMs)).toBeLessThan(limit);
          else expect(within(windowMs + slotMs)).toBeGreaterThanOrEqual(limit);
          if (ok) passed.push(now);
        }
      }),
      { numRuns: 50 },
    );
  });

  it.each([1, 7, 50, 60, 240])('of %s is enough for a client that keeps to the limit exactly', (limit) => {
    const steady = Array.from({ length: limit * 4 }, (_, index) => 17 + Math.ceil((index * 60_000) / limit));
    expect(passes(countAt(limit, steady))).toBe(limit * 4);
  });

  it('is as good as new after a minute', () => {
    expect(passes(countAt(50, [...times(50, 0), ...times(50, 59_999), ...times(50, 60_000)]))).toBe(100);
  });

  it('costs no more memory for more requests', () => {
    const window = new RequestWindow();
    for (let at = 0; at < 100_000; at += 1) window.count(1_000_000, at);
    expect(JSON.stringify(window).length).toBeLessThan(300 * 40);
    expect(window.count(1_000_000, 100_000).used).toBeGreaterThanOrEqual(60_000);
  });

  it('does not mind a clock that stands still or goes back', () => {
    expect(countAt(2, [10, 5, 4])).toEqual([true, true, false]);
  });

  it('follows a limit that changes', () => {
    const window = new RequestWindow();
    for (let calls = 0; calls < 6; calls++) window.count(6, 0);
    expect(window.count(3, 1).passed).toBe(false);
    expect(window.count(7, 2).passed).toBe(true);
    expect(window.count(3, 60_002)).toMatchObject({ passed: true, used: 1 });
  });

  it('is one for each credential', async () => {
    const store = new MemoryRateLimitStore(10, () => 0);
    expect(await store.count('a', 1)).toMatchObject({ passed: true });
    expect(await store.count('b', 1)).toMatchObject({ passed: true });
    expect(await store.count('a', 1)).toMatchObject({ passed: false });
  });
});

describe('a verdict', () => {
  it('says what is left, when the next one passes, and when all of it is there again', () => {
    const window = new RequestWindow();
    const verdictAt = (nowMs: number) => verdictOf(window.count(3, nowMs), 3);
    const told = { passed: true, limit: 3, retryAfterSeconds: 0, resetSeconds: 60 };
    expect(verdictAt(0)).toEqual({ ...told, remaining: 2 });
    expect(verdictAt(10_000)).toEqual({ ...told, remaining: 1 });
    expect(verdictAt(20_000)).toEqual({ ...told, remaining: 0 });
    const refused = { ...told, passed: false, remaining: 0 };
    expect(verdictAt(30_000)).toEqual({ ...refused, retryAfterSeconds: 30, resetSeconds: 50 });
    expect(verdictAt(59_999)).toEqual({ ...refused, retryAfterSeconds: 1, resetSeconds: 21 });
    expect(verdictAt(60_000)).toEqual({ ...told, remaining: 0 });
  });
});
