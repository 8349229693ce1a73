import { describe, expect, it } from 'vitest';
import { figuresOf, shareOf } from './progress.js';
import type { LogProgress } from '#operator-calls/call.js';

const at = (position: bigint, events = 500): LogProgress => ({
  phase: 'copying',
  position,
  from: 1_000n,
  through: 3_000n,
  events,
});

describe('progress through the log', () => {
  it('is the part of the positions that it has to go through', () => {
    expect([0n, 1_000n, 1_500n, 3_000n, 4_000n].map((position) => shareOf(at(position)))).toEqual([
      0, 0, 0.25, 1, 1,
    ]);
  });

  it('is told as events a second and the time that is left', () => {
    expect(figuresOf(at(1_500n), 0.25, 10)).toBe('500 events, 50 a second, 30 s left');
    expect(figuresOf(at(1_500n, 100_000), 0.5, 7_500)).toBe('100000 events, 13 a second, 2 h 5 min left');
    expect(figuresOf(at(1_000n, 0), 0, 0)).toBe('0 events, 0 a second');
  });
});
