import { describe, expect, it } from 'vitest';
import { leafHash } from './merkle.js';
import { SealChain } from './seal-chain.js';
import { rangeSealed, sealStream } from './seal.events.js';
import { newSealKey, readSealKey, type SealKey } from './seal.key.js';
import { sealOf, type StoredSeal } from './seal.js';

/** A chain with one seal from each of these keys. */
function chainBy(...keys: readonly SealKey[]): SealChain {
  const findings = { checked: () => undefined, wrongAt: () => undefined };
  const chain = new SealChain(findings, { keys: [], kept: [] });
  const place = { stream: 'live.job-j', revision: 0, id: 'x' };
  const range = { first: place, last: place, leaves: [leafHash('x')] };
  let seal: StoredSeal | undefined;
  for (const [index, key] of keys.entries()) {
    seal = sealOf(range, { seal, source: undefined }, { key, chain: 'c', at: new Date(0) });
    const place = { id: String(index), stream: sealStream, revision: BigInt(index), position: BigInt(index) };
    chain.add({ ...place, type: rangeSealed, data: { ...seal }, metadata: {} as never });
  }
  return chain;
}

describe('a chain of seals', () => {
  it('names the seals whose key the key before has not named', () => {
    const first = readSealKey(newSealKey());
    const named = readSealKey(newSealKey(first));
    const stranger = readSealKey(newSealKey());
    expect(chainBy(first, first, named).unnamedKeys).toEqual([]);
    expect(chainBy(first, stranger, stranger, first).unnamedKeys).toEqual([2, 4]);
  });
});
