import { describe, expect, it } from 'vitest';
import { Remembered } from './rate-limiter.js';

describe('what is remembered', () => {
  it('is read once, also by those who ask while it is being read', async () => {
    const remembered = new Remembered<number>({ max: 10, ttlMs: 60_000 });
    let reads = 0;
    const read = () => Promise.resolve(++reads);
    expect(await Promise.all([remembered.get('a', read), remembered.get('a', read)])).toEqual([1, 1]);
    expect(await remembered.get('a', read)).toBe(1);
    expect(await remembered.get('b', read)).toBe(2);
  });

  it('is read again once it was forgotten', async () => {
    const remembered = new Remembered<number>({ max: 10, ttlMs: 60_000 });
    await remembered.get('a', () => Promise.resolve(1));
    remembered.forget('a');
    expect(await remembered.get('a', () => Promise.resolve(2))).toBe(2);
  });

  it('is never what a read found that began before it was forgotten', async () => {
    const remembered = new Remembered<number>({ max: 10, ttlMs: 60_000 });
    const { promise, resolve } = Promise.withResolvers<number>();
    const early = remembered.get('a', () => promise);
    remembered.forget('a');
    expect(await remembered.get('a', () => Promise.resolve(2))).toBe(2);
    resolve(1);
    await early;
    expect(await remembered.get('a', () => Promise.resolve(3))).toBe(2);
  });

  it('is what it was set to, and not what a read finds that began before', async () => {
    const remembered = new Remembered<number>({ max: 10, ttlMs: 60_000 });
    const { promise, resolve } = Promise.withResolvers<number>();
    const early = remembered.get('a', () => promise);
    remembered.set('a', 2);
    resolve(1);
    await early;
    expect(await remembered.get('a', () => Promise.resolve(3))).toBe(2);
  });

  it('is not a failure', async () => {
    const remembered = new Remembered<number>({ max: 10, ttlMs: 60_000 });
    await expect(remembered.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await remembered.get('a', () => Promise.resolve(1))).toBe(1);
  });
});
