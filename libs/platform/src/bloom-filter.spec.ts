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
    // 200,000 texts set two bits each of 2^24: 0.06 %, or 112 of the other texts.
    expect(others.filter((id) => filter.mayHave(id)).length).toBeLessThan(400);
  });

  it('has nothing at first', () => {
    expect(new BloomFilter().mayHave('')).toBe(false);
  });
});
