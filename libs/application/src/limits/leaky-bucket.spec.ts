import { describe, expect, it } from '@jest/globals';
import { pour, verdictOf, type Bucket } from './rate-limit-store.js';

/** Pours at each of these moments and tells which passed. */
function pourAt(perMinute: number, moments: readonly number[]): boolean[] {
  let bucket: Bucket | undefined;
  return moments.map((nowMs) => {
    const poured = pour(bucket, perMinute, nowMs);
    ({ bucket } = poured);
    return poured.passed;
  });
}

const passes = (results: readonly boolean[]) => results.filter(Boolean).length;

describe('a bucket', () => {
  it.each([1, 2, 7, 50, 60, 600, 9_999, 1_000_000])(
    'of %s a minute lets exactly that many through at once',
    (limit) => {
      expect(
        passes(
          pourAt(
            limit,
            Array.from({ length: limit + 10 }, () => 5),
          ),
        ),
      ).toBe(limit);
    },
  );

  it.each([1, 7, 50, 600])(
    'of %s a minute lets one through each 60 / limit seconds after a burst',
    (limit) => {
      const each = 60_000 / limit;
      const burst = Array.from({ length: limit }, () => 0);
      const later = [each - 0.5, each + 0.001, 2 * each - 0.5, 2 * each + 0.002, 2 * each + 0.002];
      expect(pourAt(limit, [...burst, ...later]).slice(limit)).toEqual([false, true, false, true, false]);
    },
  );

  it('is as good as new after a minute', () => {
    const burst = (at: number) => Array.from({ length: 50 }, () => at);
    expect(passes(pourAt(50, [...burst(0), ...burst(60_000)]))).toBe(100);
  });

  it('never lets more than twice the limit through in any minute, whatever the rhythm', () => {
    const passed: number[] = [];
    let bucket: Bucket | undefined;
    for (let at = 0; at < 300_000; at += 113) {
      for (let calls = 0; calls < (at % 7) + 1; calls++) {
        const poured = pour(bucket, 50, at);
        ({ bucket } = poured);
        if (poured.passed) passed.push(at);
      }
    }
    for (const from of passed) {
      expect(passed.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(99);
    }
  });

  it('does not mind a clock that stands still or goes back', () => {
    expect(pourAt(2, [10, 5, 4])).toEqual([true, true, false]);
  });

  it('holds no grudge when the limit is lowered', () => {
    const full = { level: 600, atMs: 0 };
    const lowered = pour(full, 6, 0);
    expect(lowered).toEqual({ passed: false, bucket: { level: 6, atMs: 0 } });
    expect(pour(lowered.bucket, 6, 10_000).passed).toBe(true);
  });
});

describe('a verdict', () => {
  it('says what is left, and when it is whole again', () => {
    expect(verdictOf(true, 1, 600)).toEqual({
      ...{ passed: true, limit: 600, remaining: 599, resetSeconds: 1, retryAfterSeconds: 0 },
    });
    expect(verdictOf(true, 50, 50)).toMatchObject({ remaining: 0, resetSeconds: 60 });
    expect(verdictOf(false, 50, 50)).toMatchObject({ remaining: 0, retryAfterSeconds: 2 });
    expect(verdictOf(false, 1, 1)).toMatchObject({ retryAfterSeconds: 60 });
    expect(verdictOf(false, 599.5, 600)).toMatchObject({ remaining: 0, retryAfterSeconds: 1 });
  });
});
