import { describe, expect, it } from 'vitest';
import { BloomFilter } from './bloom-filter.js';
import { newId } from './ids.js';

describe('a Bloom filter', () => {
  it('never denies what was added, and takes few others for it', () => {
    const filter = new BloomFilter();
    const added = Array.from({ length: 200_000 }, () => newId());
    for (const id of added) filter.add(id);
    expect(added.filter((id) => !filter.mayHave(id))).toEqual([]);
    const others = Array.from({ length: 200_000 }, () => newId());
    // Two bits of 2^24 for each of 200,000: 0.06 %, 112 of them.
    expect(others.filter((id) => filter.mayHave(id)).length).toBeLessThan(400);
  });

  it('has nothing at first', () => {
    expect(new BloomFilter().mayHave('')).toBe(false);
  });
});
