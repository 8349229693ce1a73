import { describe, expect, it } from 'vitest';
import { webhooksHealth } from './webhooks-health.js';

const level = { env: 'live' as const, pending: 9, due: 5, oldest_due_seconds: 60, failing_endpoints: 0 };

describe('what people wait for because of webhooks', () => {
  it('is nothing while deliveries go out in time', () => {
    expect(webhooksHealth.reasons([level])).toEqual([]);
  });

  it('is the delivery that has been due for too long', () => {
    const levels = [level, { ...level, env: 'test' as const, oldest_due_seconds: 61 }];
    const detail = '5 webhook deliveries are due, the first for 61 s';
    expect(webhooksHealth.reasons(levels)).toEqual([{ env: 'test', detail }]);
  });

  it('is said in one line', () => {
    const line = webhooksHealth.line([level, { ...level, env: 'test', due: 0, failing_endpoints: 2 }]);
    expect(line).toBe('webhook deliveries due: live 5, test 0 (2 endpoints fail)');
  });
});
