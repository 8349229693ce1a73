import { bugs, type BugName } from './planted-bugs.js';
import { search } from './search.js';

/** The seed that found each bug when it was recorded, and what it broke. */
const recorded: Record<BugName, { readonly seed: number; readonly breaks: RegExp }> = {};

/** A change of the code under test changes who gets which turn: the bug is then found a few seeds later. */
const seedsToTry = 300;

describe('a planted bug is found', () => {
  it.each(Object.keys(bugs) as BugName[])('%s', async (bug) => {
    const { seed, breaks } = recorded[bug];
    const find = await search({ first: seed, seeds: seedsToTry, bug, shrinks: false }, () => undefined);
    expect(find?.violation).toMatch(breaks);
  });
});
