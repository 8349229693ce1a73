import { describe, expect, it } from 'vitest';
import { bucketsHealth } from './buckets-health.js';

const level = { env: 'live' as const, due: 5, oldest_due_seconds: 300, failed: 0, failing_buckets: 0 };

describe('what people wait for because of buckets', () => {
  it('is nothing while pictures are pushed in time', () => {
    expect(bucketsHealth.reasons([level])).toEqual([]);
  });

  it('is the push that has been due for too long, and none that its tenant has to mend', () => {
    const failed = { ...level, env: 'test' as const, failed: 3, failing_buckets: 1 };
    expect(bucketsHealth.reasons([{ ...level, oldest_due_seconds: 301 }, failed])).toEqual([
      { env: 'live', detail: '5 pushes to buckets are due, the first for 301 s' },
    ]);
  });

  it('is said in one line', () => {
    const line = bucketsHealth.line([level, { ...level, env: 'test', due: 0, failed: 2 }]);
    expect(line).toBe('pushes to buckets due: live 5, test 0 (2 failed)');
  });
});
