import { passes, type EventStore, type RecordedEvent } from '#event-store/event-store.js';
import { ownEvents } from '#event-store/own-events.js';
import { merkleRoot } from './merkle.js';
import { sealStream } from './seal.events.js';
import {
  fingerprintBytes,
  readChainEnd,
  sealedLeaf,
  type Seal,
  type SealedPlace,
  type StoredSeal,
} from './seal.js';
import type { CheckFindings } from '#operator-calls/history-audit.js';
import { SealChain, type TrustedSeals } from './seal-chain.js';

/** How far the log is sealed. */
export interface SealsReport {
  /** The last seal; undefined: there is none. */
  readonly last: StoredSeal | undefined;
  readonly sealedEvents: number;
  readonly unsealedEvents: number;
  readonly keys: readonly string[];
  /**
   * Seals whose key was not named as a successor by the key before it: the old key was lost, or the new one is
   * a stranger's.
   */
  readonly unnamedKeys: readonly number[];
  /** The last seals of the logs that this one was copied from, by their digests. */
  readonly sources: ReadonlyMap<string, Seal>;
}

const pageSize = 512;
/** If a range does not end as it was sealed, the check looks for the beginnings of this many later ranges. */
const seenAhead = 256;
/** How long, in milliseconds, events may lack a seal: a sealer needs less than a second. */
const longestUnsealed = 60_000;

/**
 * Compares the events of the log with the seals while they are read. Read the head of the log only after
 * opening it. Then all of its seals cover events before that head.
 */
export class SealedHistory {
  private readonly chain: SealChain;
  private readonly isSealed = passes(ownEvents);
  /** Seals whose ranges are not judged yet. The first one is that of the current range. */
  private readonly ahead: StoredSeal[] = [];
  private readonly beginnings = new Map<string, StoredSeal>();
  private nextRevision = 0n;
  /** Events of the current range, at most as many as its seal counts. */
  private events: RecordedEvent[] = [];
  private leaves: Buffer[] = [];
  private surplus = 0;
  private sealed = 0;
  private unsealed = 0;
  private oldestUnsealed: RecordedEvent | undefined;
  private newest: RecordedEvent | undefined;

  private constructor(
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly lastRevision: bigint,
    private readonly findings: CheckFindings,
    private readonly trusted: TrustedSeals,
  ) {
    this.chain = new SealChain(findings, trusted);
  }

  /** @param trusted facts from a trusted source: keys, if the log should be sealed, and kept seals */
  static async open(
    store: Pick<EventStore, 'readStream'>,
    findings: CheckFindings,
    trusted: TrustedSeals,
  ): Promise<SealedHistory> {
    const { revision } = await readChainEnd(store);
    const last = revision === 'no-stream' ? -1n : revision;
    return new SealedHistory(store, last, findings, trusted);
  }

  /** False if nothing is sealed and no seals are expected. */
  get isExpected(): boolean {
    return this.lastRevision >= 0n || this.trusted.keys.length + this.trusted.kept.length > 0;
  }

  /** Call it with all events of the log, in order. */
  async apply(events: readonly RecordedEvent[]): Promise<void> {
    for (const event of events) {
      if (!this.isSealed(event)) continue;
      this.newest = event;
      if (this.ahead.length < seenAhead) await this.lookAhead();
      const beginning = this.beginnings.get(event.id);
      if (beginning && beginning !== this.ahead[0]) this.skipTo(beginning);
      this.take(event);
    }
  }

  /** @param now in milliseconds; undefined: the log was not read to its end */
  async end(now: number | undefined): Promise<SealsReport> {
    const whole = now !== undefined;
    while (whole && this.ahead.length > 0) {
      this.judge();
      await this.lookAhead();
    }
    // Seals beyond a cut must still be a chain.
    for (; this.ahead.length > 0; await this.lookAhead()) this.ahead.length = 0;
    this.chain.end();
    if (whole) this.checkUnsealed(now);
    const { unsealed: unsealedEvents, sealed } = this;
    const { last, keys, unnamedKeys, sources } = this.chain;
    // The chain returns the same objects that it was given.
    const seal = last as StoredSeal | undefined;
    return { last: seal, sealedEvents: sealed, unsealedEvents, keys, unnamedKeys, sources };
  }

  private take(event: RecordedEvent): void {
    const [seal] = this.ahead;
    if (!seal) {
      this.oldestUnsealed ??= event;
      this.unsealed++;
      return;
    }
    if (this.leaves.length < seal.count) {
      this.events.push(event);
      this.leaves.push(sealedLeaf(event));
    } else this.surplus++;
    if (event.id === seal.last.id) this.judge();
  }

  /** Judges the current range at its end, or at the place where it should have ended. */
  private judge(): void {
    const { findings, events, leaves, surplus } = this;
    const seal = this.ahead.shift()!;
    this.beginnings.delete(seal.first.id);
    [this.events, this.leaves, this.surplus] = [[], [], 0];
    findings.checked('seals');
    this.sealed += leaves.length;
    if (surplus === 0 && leaves.length === seal.count && merkleRoot(leaves).toString('hex') === seal.root)
      return;
    const place = firstDifference(seal, leaves);
    const event = events[place];
    const where = `event ${place + 1} of the ${seal.count} of seal ${seal.number} (${nameOf(seal.first)} to ${nameOf(seal.last)})`;
    const before = events[place - 1];
    const found = event ? nameOf(event) : `nothing${before ? ` after ${nameOf(before)}` : ''}`;
    const { stream, revision } = event ?? seal.last;
    const message = `history is not what was sealed, from ${where} on`;
    findings.wrongAt({ stream, revision: Number(revision) }, 'seals', message, seal.root, found);
  }

  /** The event begins a later range, so the ranges before it are not as they were sealed. */
  private skipTo(seal: StoredSeal): void {
    while (this.ahead[0] !== seal) this.judge();
  }

  private async lookAhead(): Promise<void> {
    while (this.ahead.length < seenAhead && this.nextRevision <= this.lastRevision) {
      const slice = await this.store.readStream(sealStream, { from: this.nextRevision, limit: pageSize });
      const events = slice.kind === 'found' ? slice.events : [];
      for (const event of events) {
        if (event.revision > this.lastRevision) break;
        const seal = this.chain.add(event);
        if (!seal) continue;
        this.ahead.push(seal);
        this.beginnings.set(seal.first.id, seal);
      }
      this.nextRevision = (events.at(-1)?.revision ?? this.lastRevision) + 1n;
    }
  }

  /** A service that stops may leave its last events unsealed, until it runs again. */
  private checkUnsealed(now: number): void {
    const { oldestUnsealed: oldest, newest, findings } = this;
    if (!oldest || !newest || !this.isExpected) return;
    const until = this.chain.last ? Date.parse(newest.metadata.recordedAt) : now;
    if (until - Date.parse(oldest.metadata.recordedAt) <= longestUnsealed) return;
    const message = `${this.unsealed} events have no seal, from this one on: a projector that has the key seals them`;
    const { stream, revision } = oldest;
    findings.wrongAt({ stream, revision: Number(revision) }, 'seals', message, 'a seal', 'none');
  }
}

/** The first place whose fingerprint differs from its leaf; the place behind the last one if all fit. */
function firstDifference(seal: StoredSeal, leaves: readonly Buffer[]): number {
  const kept = Buffer.from(String(seal.leaves), 'base64url');
  const differs = leaves.findIndex((leaf, index) => {
    const at = index * fingerprintBytes;
    return !leaf.subarray(0, fingerprintBytes).equals(kept.subarray(at, at + fingerprintBytes));
  });
  return differs < 0 ? leaves.length : differs;
}

function nameOf({
  stream,
  revision,
}: Pick<SealedPlace, 'stream'> & { readonly revision: number | bigint }): string {
  return `${stream} revision ${revision}`;
}
