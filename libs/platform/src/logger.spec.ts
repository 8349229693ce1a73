import { afterEach, describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.js';

const before = process.env['LOG_LEVEL'];
afterEach(() => {
  if (before === undefined) delete process.env['LOG_LEVEL'];
  else process.env['LOG_LEVEL'] = before;
});

describe('the log level', () => {
  it.each([
    ['', 'info'],
    ['warn', 'warn'],
  ])('LOG_LEVEL="%s" gives %s: an empty value counts as not set', (value, level) => {
    process.env['LOG_LEVEL'] = value;
    expect(createLogger('test').level).toBe(level);
  });
});
