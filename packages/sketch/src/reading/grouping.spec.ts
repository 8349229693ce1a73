import { describe, expect, it } from 'vitest';
import { cluster, groupsOf } from './grouping.js';

const on =
  (line: readonly number[]) =>
  (p: number, q: number): number =>
    Math.abs((line[p] ?? 0) - (line[q] ?? 0));
const indices = (line: readonly number[]): number[] => [...line.keys()];

describe('cluster', () => {
  it('joins what is near and keeps apart what is not', () => {
    const line = [0, 5, 0.2, 5.1, 9];
    const members = cluster(indices(line), on(line), 1).map((one) => one.members);
    expect(members).toEqual([[0, 2], [1, 3], [4]]);
  });

  it('does not chain: the mean distance counts, not the nearest neighbour', () => {
    const line = [0, 0.9, 1.8, 2.7];
    expect(cluster(indices(line), on(line), 1).length).toBeGreaterThan(1);
  });

  it('has nothing to say about nothing', () => {
    expect(cluster([], () => 0, 1)).toEqual([]);
  });
});

describe('groupsOf', () => {
  it('names groups of two and more only, and is surer of nearer ones', () => {
    const line = [0, 0.05, 3, 3.8, 9];
    const groups = groupsOf(indices(line), on(line), 1, 'skin');
    expect(groups.map((one) => one.member_indices)).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(groups[0]?.confidence).toBeGreaterThan(groups[1]?.confidence ?? 1);
    expect(groups[0]?.evidence).toContain('skin');
  });
});
