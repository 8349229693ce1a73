import { describe, expect, it } from 'vitest';
import { newId } from '#platform/ids.js';
import { simulateSpending, soundSpending, type SpendWiring } from './spent-offers.js';

const seeds = 150;
const seedsToTry = 300;

/** Each makes one promise of a consent untrue. */
const bugs: Readonly<Record<string, Partial<SpendWiring>>> = {
  'each try has an Idempotency-Key of its own': { keyOf: newId },
  'the dispatch takes any price': { expectedOf: () => undefined },
  'an order goes on without consent': { stops: false, asks: false },
  'the caps are not kept': { caps: { session: 100, day: 100 } },
};

describe('the simulation of spending', () => {
  it(`keeps every promise of a consent with ${seeds} seeds`, async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= seeds; seed++) {
      const run = await simulateSpending(seed);
      expect({ seed, violation: run.violation }).toEqual({ seed, violation: undefined });
      for (const what of run.seen) seen.add(what);
    }
    // A simulation proves nothing about events that never occur in it.
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'SpendOrdered',
        'SpendRefused',
        'JobVoided',
        'ordered',
        'replayed',
        'no answer',
        'key-in-use',
        'PRICE_CHANGED',
        'OFFER_EXPIRED',
        'OFFER_LOST',
        'SPEND_CAP_REACHED',
      ]),
    );
  });

  it.each(Object.entries(bugs))('finds a planted bug: %s', async (_, bug) => {
    let violation: string | undefined;
    for (let seed = 1; seed <= seedsToTry && violation === undefined; seed++)
      ({ violation } = await simulateSpending(seed, { ...soundSpending, ...bug }));
    expect(violation).toMatch(/^consent: /);
  });
});
