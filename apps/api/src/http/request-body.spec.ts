import { describe, expect, it } from 'vitest';
import { deepestJson, findUnsafeJson } from './request-body.js';

describe('what may be kept of a JSON body', () => {
  it('is any value that JSON has, as deep as 32 levels', () => {
    const deep = JSON.parse('['.repeat(deepestJson) + ']'.repeat(deepestJson)) as unknown;
    const methods = { constructor: 1, toString: 1, valueOf: null, prototype: { hasOwnProperty: [] } };
    for (const value of [null, 0, -1.5, '', '🧵', true, [], {}, { a: [{ b: null }] }, deep, methods]) {
      expect(findUnsafeJson(value)).toBeUndefined();
    }
  });

  it.each([
    ['{"__proto__":1}', ['__proto__'], 'extra_forbidden'],
    ['{"a":[0,{"__proto__":1}]}', ['a', 1, '__proto__'], 'extra_forbidden'],
    ['{"a":"\\u0000"}', ['a'], 'string'],
    ['{"a":["\\udc00"]}', ['a', 0], 'string'],
    ['{"\\u0000":1}', ['?'], 'string'],
    ['{"a":1e400}', ['a'], 'number'],
  ])('is not %s', (json, loc, type) => {
    expect(findUnsafeJson(JSON.parse(json))).toMatchObject({ loc, type });
  });

  it('is not nested deeper, and the way down is not walked to its end', () => {
    const tooDeep = JSON.parse('['.repeat(deepestJson + 1) + ']'.repeat(deepestJson + 1)) as unknown;
    expect(findUnsafeJson(tooDeep)).toMatchObject({ type: 'too_deep' });
    const bottomless = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
    expect(findUnsafeJson(bottomless)).toMatchObject({ type: 'too_deep' });
  });
});
