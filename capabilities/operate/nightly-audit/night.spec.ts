import { describe, expect, it } from 'vitest';
import { attemptId, lastDue, mostAttempts, nextStep, type Attempt } from './night.js';

const at = (time: string) => new Date(`2026-01-02T${time}Z`);
const due = at('03:00:00');
const ended = (time: string, outcome: 'done' | 'failed'): Attempt => ({ ended: { at: at(time), outcome } });
const step = (attempts: readonly Attempt[], now: string, startedAt = '03:00:00') =>
  nextStep(attempts, { due, now: at(now), startedAt: at(startedAt) });

describe('the audit of a night', () => {
  it('is due at its hour in UTC, and until the next one it is that of the day before', () => {
    expect(lastDue(180, at('03:00:00')).toISOString()).toBe('2026-01-02T03:00:00.000Z');
    expect(lastDue(180, at('02:59:59')).toISOString()).toBe('2026-01-01T03:00:00.000Z');
    expect(lastDue(0, at('00:00:00')).toISOString()).toBe('2026-01-02T00:00:00.000Z');
  });

  it('has one action, whatever process asks', () => {
    expect(attemptId(due, 1)).toBe(attemptId(at('05:00:00'), 1));
    expect(attemptId(due, 2)).not.toBe(attemptId(due, 1));
    expect(attemptId(lastDue(180, at('02:00:00')), 1)).not.toBe(attemptId(due, 1));
  });

  it('begins at once in the first quarter of an hour', () => {
    expect(step([], '03:00:00')).toEqual({ kind: 'begin', attempt: 1 });
    expect(step([], '03:14:59', '03:14:50')).toEqual({ kind: 'begin', attempt: 1 });
  });

  it('is made up for by a process that started later and has run for ten minutes', () => {
    expect(step([], '12:00:00', '11:55:00')).toEqual({ kind: 'rest' });
    expect(step([], '12:05:00', '11:55:00')).toEqual({ kind: 'begin', attempt: 1 });
  });

  it('is made once', () => {
    expect(step([ended('03:10:00', 'done')], '23:00:00')).toEqual({ kind: 'rest' });
    expect(step([ended('03:10:00', 'failed'), ended('03:20:00', 'done')], '23:00:00')).toEqual({
      kind: 'rest',
    });
  });

  it('is tried again a minute after it failed, and three times at most', () => {
    expect(step([ended('03:05:00', 'failed')], '03:05:59')).toEqual({ kind: 'rest' });
    expect(step([ended('03:05:00', 'failed')], '03:06:00')).toEqual({ kind: 'begin', attempt: 2 });
    const all = Array.from({ length: mostAttempts }, () => ended('03:05:00', 'failed'));
    expect(step(all, '20:00:00')).toEqual({ kind: 'rest' });
  });

  it('is closed first if its process was killed', () => {
    expect(step([ended('03:05:00', 'failed'), { ended: null }], '03:07:00')).toEqual({
      kind: 'close',
      attempt: 2,
    });
    expect(step([{ ended: null }], '20:00:00', '19:59:00')).toEqual({ kind: 'close', attempt: 1 });
  });
});
