import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#event-store/event-store.js';
import { isGenuine, isRightfulKey, placeInSeal, sealedLeaf, sealOf, type StoredSeal } from '../seal.js';
import { readSealKey } from '../seal.key.js';

interface Golden {
  /** Made for this file, and used nowhere else. */
  readonly keys: readonly [string, string];
  readonly events: readonly (Omit<RecordedEvent, 'revision' | 'position'> & { readonly revision: number })[];
  readonly seals: readonly [StoredSeal, StoredSeal];
}

// These seals were stored by the first release that sealed. A kept seal is compared with the seal that this
// release makes of the same events.
const path = new URL('golden/seals-v1.json', import.meta.url);
const { keys, events, seals } = JSON.parse(readFileSync(path, 'utf8')) as Golden;
const recorded = events.map((event, index): RecordedEvent => {
  return { ...event, revision: BigInt(event.revision), position: BigInt(index) };
});

function made(from: number, before: StoredSeal | undefined, like: StoredSeal, key: string): StoredSeal {
  const range = recorded.slice(from);
  const ends = { first: placeInSeal(range[0]!), last: placeInSeal(range.at(-1)!) };
  return sealOf(
    { ...ends, leaves: range.map(sealedLeaf) },
    { seal: before, source: before },
    { key: readSealKey(key), chain: like.chain, at: new Date(like.sealedAt) },
  );
}

describe('a seal', () => {
  const [one, two] = seals;

  it('is the same for the same events, key and time, whatever the release and the position', () => {
    expect(made(0, undefined, one, keys[0])).toEqual(one);
    expect(made(1, one, two, keys[1])).toEqual(two);
  });

  it('is genuine, and its key the one before or one that was named by it', () => {
    expect(seals.map((seal) => isGenuine(seal))).toEqual([true, true]);
    expect(isGenuine({ ...one, count: 4 })).toBe(false);
    expect(isRightfulKey(two, one.key)).toBe(true);
    expect(isRightfulKey({ ...two, succeeds: null }, one.key)).toBe(false);
    expect(isRightfulKey(one, two.key)).toBe(false);
  });
});
