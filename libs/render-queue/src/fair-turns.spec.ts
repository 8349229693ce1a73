import { fairTurns } from './fair-turns.js';

describe('fair turns', () => {
  it('gives the tasks of one tenant consecutive turns', () => {
    expect(fairTurns(['a', 'a', 'a'], [])).toEqual([0, 1, 2]);
  });

  it('lets a newcomer join at the turn that is being served, not behind the whole queue', () => {
    const busy = { tenant: 'busy', first: 7, last: 56 };
    expect(fairTurns(['newcomer'], [busy])).toEqual([7]);
  });

  it('lines a tenant up behind its own waiting tasks', () => {
    const waiting = [
      { tenant: 'busy', first: 7, last: 56 },
      { tenant: 'other', first: 9, last: 9 },
    ];
    expect(fairTurns(['busy', 'other', 'busy'], waiting)).toEqual([57, 10, 58]);
  });

  it('interleaves the tenants of one batch', () => {
    expect(fairTurns(['a', 'a', 'b', 'b'], [])).toEqual([0, 1, 0, 1]);
  });
});
