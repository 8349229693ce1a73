import { describe, expect, it } from '@jest/globals';
import { hashBody, parseIdempotencyKey } from './idempotency-key.js';

describe('the hash of a body', () => {
  it('is the same in whatever order its fields come, however deep', () => {
    expect(hashBody({ a: 1, b: { c: [1, { d: 2, e: 3 }] } })).toBe(
      hashBody({ b: { c: [1, { e: 3, d: 2 }] }, a: 1 }),
    );
  });

  it('differs with any value, type or place', () => {
    const bodies = [
      { a: 1 },
      { a: '1' },
      { a: [1] },
      { b: 1 },
      { a: null },
      { a: 1, b: 1 },
      { a: { b: 1 } },
      { 'a:1,b': 1 },
    ];
    expect(new Set(bodies.map(hashBody)).size).toBe(bodies.length);
    expect(hashBody({ a: [1, 2] })).not.toBe(hashBody({ a: [2, 1] }));
  });
});

describe('an Idempotency-Key', () => {
  it('is visible ASCII of 1 to 255 characters', () => {
    expect(parseIdempotencyKey(undefined)).toBeUndefined();
    for (const good of ['!', '~', 'x'.repeat(255)]) expect(parseIdempotencyKey(good)).toBe(good);
    for (const bad of ['', ' ', 'a b', 'x'.repeat(256), 'é', '\x7f', ['a', 'b']]) {
      expect(() => parseIdempotencyKey(bad)).toThrow('Idempotency-Key must be');
    }
  });
});
