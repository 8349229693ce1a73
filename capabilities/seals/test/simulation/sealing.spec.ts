import { describe, expect, it } from 'vitest';
import { simulateSealing, soundSealing } from './sealed-log.js';
import { sealingBugs } from './sealing-bugs.js';

const seeds = 40;
const seedsToTry = 25;

describe('the simulation of sealing', () => {
  it(`breaks nothing with ${seeds} seeds, in most of which both sealers write the chain`, async () => {
    const runs = [];
    for (let seed = 1; seed <= seeds; seed++) runs.push({ seed, ...(await simulateSealing(seed)) });
    expect(runs.filter(({ violation }) => violation !== undefined)).toEqual([]);
    expect(runs.filter(({ seals, sealers }) => seals > 5 && sealers === 2).length).toBeGreaterThan(seeds / 2);
  });

  it.each(Object.entries(sealingBugs))('finds a planted bug: %s', async (_, bug) => {
    let violation: string | undefined;
    for (let seed = 1; seed <= seedsToTry && violation === undefined; seed++)
      ({ violation } = await simulateSealing(seed, { ...soundSealing, ...bug }));
    expect(violation).toMatch(/^13: /);
  });
});
