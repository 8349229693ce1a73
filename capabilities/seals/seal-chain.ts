import { hash } from 'node:crypto';
import type { RecordedEvent } from '#event-store/event-store.js';
import { rangeSealed, sealStream, sourceSealed } from './seal.events.js';
import { isGenuine, isRightfulKey, sealDigest, type Seal, type StoredSeal } from './seal.js';
import type { CheckFindings } from '#operator-calls/history-audit.js';

export interface TrustedSeals {
  /**
   * Public keys from a trusted source. One of them must have signed the last seal; if there are none, any key may have.
   */
  readonly keys: readonly string[];
  /** Seals that were kept outside the store. */
  readonly kept: readonly Seal[];
}

/**
 * Checks the seals alone: that they are one chain, that each is signed, and that the kept seals are among them.
 */
export class SealChain {
  /** The last seal so far. */
  last: Seal | undefined;
  /** Keys in the order of their first seals. */
  readonly keys: string[] = [];
  /** Seals whose key was not named as a successor by the key before it. */
  readonly unnamedKeys: number[] = [];
  /** The last seals of the logs that this one was copied from, by their digests. */
  readonly sources = new Map<string, Seal>();
  private source: string | undefined;
  private readonly kept: Map<string, Seal>;

  constructor(
    private readonly findings: CheckFindings,
    private readonly trusted: TrustedSeals,
  ) {
    this.kept = new Map(trusted.kept.map((seal) => [placeOf(seal), seal]));
  }

  /** Takes the next event of the seals' stream. @returns the event's seal, if it is a genuine one */
  add({ type, data, revision }: RecordedEvent): StoredSeal | undefined {
    this.findings.checked('seal-chain');
    // The signature shows whether it is a seal.
    const seal = data as StoredSeal;
    const wrong = (message: string, expected: unknown, found: unknown) => {
      const place = { stream: sealStream, revision: Number(revision) };
      this.findings.wrongAt(place, 'seal-chain', message, expected, found);
    };
    if ((type !== rangeSealed && type !== sourceSealed) || !isGenuine(seal)) {
      wrong(`${type} is not signed by the key that it names`, 'a seal', 'none');
      return undefined;
    }
    if (type === sourceSealed) {
      this.source = sealDigest(seal);
      this.sources.set(this.source, seal);
      return undefined;
    }
    this.checkLink(seal, wrong);
    const fingerprints = hash('sha256', String(seal.leaves));
    if (fingerprints !== seal.fingerprints)
      wrong(
        `the fingerprints beside seal ${seal.number} do not belong to it`,
        seal.fingerprints,
        fingerprints,
      );
    this.checkKept(seal, wrong);
    if (!this.keys.includes(seal.key)) this.keys.push(seal.key);
    this.last = seal;
    this.source = undefined;
    return seal;
  }

  /** Call it after the last event. */
  end(): void {
    const { last, findings } = this;
    const place = { stream: sealStream, revision: (last?.number ?? 0) - 1 };
    const { keys } = this.trusted;
    if (last && keys.length > 0 && !keys.includes(last.key))
      findings.wrongAt(place, 'seal-chain', `seal ${last.number} is signed by another key`, keys, last.key);
    for (const kept of this.kept.values()) {
      if (this.sources.has(sealDigest(kept))) continue;
      const message = `seal ${kept.number} of chain ${kept.chain} was kept, and is not in the log`;
      findings.wrongAt(place, 'seal-chain', message, sealDigest(kept), 'nothing');
    }
  }

  private checkLink(seal: Seal, wrong: (message: string, expected: unknown, found: unknown) => void): void {
    const { last } = this;
    const expected = {
      chain: last?.chain ?? seal.chain,
      number: (last?.number ?? 0) + 1,
      previous: last ? sealDigest(last) : null,
      source: this.source ?? null,
    };
    for (const name of ['chain', 'number', 'previous', 'source'] as const) {
      if (seal[name] === expected[name]) continue;
      wrong(`seal ${seal.number} does not follow the one before: ${name}`, expected[name], seal[name]);
    }
    if (last && !isRightfulKey(seal, last.key)) this.unnamedKeys.push(seal.number);
  }

  private checkKept(seal: Seal, wrong: (message: string, expected: unknown, found: unknown) => void): void {
    const kept = this.kept.get(placeOf(seal));
    if (!kept) return;
    this.kept.delete(placeOf(seal));
    const [expected, found] = [sealDigest(kept), sealDigest(seal)];
    if (expected !== found) wrong(`seal ${seal.number} is not the one that was kept`, expected, found);
  }
}

const placeOf = ({ chain, number }: Seal) => `${chain} ${number}`;
