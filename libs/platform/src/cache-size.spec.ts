import { describe, expect, it } from 'vitest';
import { LRUCache } from 'lru-cache';
import { entriesUpTo } from './cache-size.js';

describe('a cache of up to so many entries', () => {
  it('drops what was not used for longest when there is one more', () => {
    const cache = new LRUCache<string, number>(entriesUpTo(3));
    for (const [key, value] of Object.entries({ a: 1, b: 2, c: 3 })) cache.set(key, value);
    expect(cache.get('a')).toBe(1);
    cache.set('d', 4);
    expect([...cache.keys()].sort()).toEqual(['a', 'c', 'd']);
  });
});
