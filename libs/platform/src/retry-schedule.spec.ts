import { describe, expect, it } from 'vitest';
import { mostDeliveryAttempts, pauseAfter } from './retry-schedule.js';

const pauses = (chance: number, retryAfter?: string) =>
  Array.from({ length: mostDeliveryAttempts }, (_, index) => pauseAfter(index + 1, retryAfter, chance));

describe('the pauses between attempts', () => {
  it('grow, and add up to about three days', () => {
    const given = pauses(0);
    expect(given.at(-1)).toBeUndefined();
    const known = given.slice(0, -1) as number[];
    expect(known).toEqual(known.toSorted((one, other) => one - other));
    const days = known.reduce((sum, pause) => sum + pause, 0) / 86_400_000;
    expect(days).toBeGreaterThan(3);
    expect(days).toBeLessThan(3.2);
  });

  it('are longer by up to a tenth, so that what failed together comes back apart', () => {
    expect(pauseAfter(1, undefined, 0)).toBe(5_000);
    expect(pauseAfter(1, undefined, 1)).toBe(5_500);
  });

  it('are as long as the endpoint asks for, a day at most, and never shorter than its own', () => {
    expect(pauseAfter(1, '120', 0)).toBe(120_000);
    expect(pauseAfter(3, '1', 0)).toBe(300_000);
    expect(pauseAfter(1, '999999', 0)).toBe(86_400_000);
    expect(pauseAfter(1, 'tomorrow', 0)).toBe(5_000);
  });
});
