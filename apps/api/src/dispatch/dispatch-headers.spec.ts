import { describe, expect, it } from 'vitest';
import { hashBody } from '#application/dispatch/idempotency.js';
import { parseExpectedCredits, parseIdempotencyKey, preferredWait } from './dispatch-headers.js';

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

describe('the expected credits', () => {
  it('are a whole number', () => {
    const parse = (text?: string) => parseExpectedCredits({ 'x-atelier-expected-credits': text });
    expect([parse(), parse('0'), parse('15')]).toEqual([undefined, 0, 15]);
    for (const bad of ['', '-1', '1.5', '5 credits', '1234567890']) expect(() => parse(bad)).toThrow();
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

describe('Prefer: wait', () => {
  it.each([
    ['wait=10', 10],
    ['wait=1', 1],
    ['wait=60', 60],
    ['wait=61', 60],
    ['wait=999999999', 60],
    ['WAIT = 5', 5],
    ['wait="7"', 7],
    ['respond-async, wait=10', 10],
    ['respond-async,wait=10;x="a,b" , handling=lenient', 10],
    ['handling="wait=3, no", wait=4', 4],
    ['wait=5, wait=9', 5],
    [['respond-async', 'wait=8'], 8],
  ])('%j is %i seconds, never more than 60', (header, seconds) => {
    expect(preferredWait(header)).toBe(seconds);
  });

  it.each([
    undefined,
    '',
    'respond-async',
    'wait',
    'wait=',
    'wait=0',
    'wait=-5',
    'wait=1.5',
    'wait=5s',
    'wait=0x10',
    'wait=0, wait=9',
    'await=5',
    'handling="wait=3"',
    ',,,',
    '"'.repeat(4_000),
    'a'.repeat(8_000),
    ` ${'; '.repeat(4_000)}`,
  ])('%j is no wish to wait', (header) => {
    expect(preferredWait(header)).toBeUndefined();
  });
});
