import { cluster, givenGroups, groupsOf } from './grouping.js';

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

describe('givenGroups', () => {
  it('takes a grouping at face value', () => {
    const given = { person_groups: [{ member_indices: [3, 0], confidence: 0.4, evidence: 'by hand' }] };
    expect(givenGroups({ grouping: given }, 'person_groups')).toEqual(given.person_groups);
  });

  it('fills in what may be left out, and leaves an axis that is not named without groups', () => {
    const given = { person_groups: [{ member_indices: [0, 1] }] };
    expect(givenGroups({ grouping: given }, 'person_groups')).toEqual([
      { member_indices: [0, 1], confidence: 1, evidence: '' },
    ]);
    expect(givenGroups({ grouping: given }, 'location_groups')).toEqual([]);
    expect(givenGroups({}, 'person_groups')).toBeUndefined();
  });
});
