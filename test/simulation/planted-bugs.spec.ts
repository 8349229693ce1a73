import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bugs } from './planted-bugs.js';
import { search } from './search.js';

/** Each bug with the first seed that found it when it was recorded: a row of the table in docs/simulation.md. */
const recorded = [
  ...readFileSync('docs/simulation.md', 'utf8').matchAll(/^\| `([\w-]+)` +\|[^|]+\|[^|]+\| +(\d+) +\|/gm),
].map(([, bug = '', seed]) => [bug, Number(seed)] as const);

/** A change of the code under test changes the order of turns, so a bug may be found some seeds later. */
const seedsToTry = 300;

describe('a planted bug', () => {
  it('has a row in docs/simulation.md, and each row has one', () => {
    expect(recorded.map(([bug]) => bug).toSorted()).toEqual(Object.keys(bugs).toSorted());
  });

  it.each(recorded)('%s is found from seed %d on', async (bug, first) => {
    const find = await search({ first, seeds: seedsToTry, bug, shrinks: false }, () => undefined);
    expect(find).toBeDefined();
    // The find must be the bug's effect, not a failure to run.
    expect(find?.violation).not.toMatch(/met a defect|ended: /);
  });
});
