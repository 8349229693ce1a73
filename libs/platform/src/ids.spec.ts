import { describe, expect, it } from 'vitest';
import { derivedId, isId, newId, timelessId, timeOfId } from './ids.js';

describe('a derived id', () => {
  it('repeats for the same name and time, and differs by either', () => {
    const at = Date.parse('2026-06-01T12:00:00.000Z');
    expect(derivedId('a', at)).toBe(derivedId('a', at));
    expect(new Set([derivedId('a', at), derivedId('b', at), derivedId('a', at + 1)]).size).toBe(3);
  });

  it('sorts by its time among the ids that were drawn', () => {
    const drawn = newId();
    const at = timeOfId(drawn);
    const ids = [derivedId('before', at - 1), drawn, derivedId('after', at + 1)];
    expect(ids.every(isId)).toBe(true);
    expect(ids.toSorted()).toEqual(ids);
    expect(timeOfId(derivedId('same', at))).toBe(at);
  });
});

describe('a timeless id', () => {
  it('is the one that earlier releases derived', () => {
    expect(timelessId('01JWZ0000000000000000000J1/1/0')).toBe('7JKTM7AN8YE3CSYPFR52N6GB49');
  });
});
