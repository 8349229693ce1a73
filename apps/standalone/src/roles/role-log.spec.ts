import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ErrorSummary } from './role-log.js';

describe("the summary of a role's errors", () => {
  let lines: string[];
  let summary: ErrorSummary;
  beforeEach(() => {
    vi.useFakeTimers();
    lines = [];
    summary = new ErrorSummary('worker', 'worker.log', (line) => lines.push(line));
  });
  afterEach(() => void vi.useRealTimers());

  it('shows the first error at once', () => {
    summary.add('no bucket');
    expect(lines).toEqual(['worker: no bucket (worker.log)']);
  });

  it('counts the errors that follow, and shows the last of them after a while', () => {
    for (const message of ['first', 'second', 'third']) summary.add(message);
    expect(lines).toHaveLength(1);
    vi.advanceTimersByTime(15_000);
    expect(lines[1]).toBe('worker: 2 more errors, the last: third (worker.log)');
  });

  it('shows an error after a quiet time at once again', () => {
    summary.add('first');
    vi.advanceTimersByTime(15_000);
    summary.add('second');
    expect(lines).toEqual(['worker: first (worker.log)', 'worker: second (worker.log)']);
  });
});
