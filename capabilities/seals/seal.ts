import { hash } from 'node:crypto';
import { canonicalJson } from '#event-store/walk-log.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { leafHash, merkleRoot } from './merkle.js';
import { rangeSealed, sealStream } from './seal.events.js';
import { isSealedBy, successionText, type SealKey } from './seal.key.js';

/** An event by its stream, revision and id. Its position depends on the store. */
export interface SealedPlace {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
}

/** The content that a seal signs: a range of events in the order of the log, and all seals before it. */
export interface SealStatement {
  readonly version: 1;
  /** Drawn at random with the first seal of a log, so that seals of two logs are never mistaken for one another. */
  readonly chain: string;
  /** From 1, without gaps. */
  readonly number: number;
  readonly first: SealedPlace;
  readonly last: SealedPlace;
  /** Events of the range. */
  readonly count: number;
  /** Of the tree over the events, in hex: see {@link sealedLeaf}. */
  readonly root: string;
  /** SHA-256, in hex, of the fingerprints that are stored with the seal. */
  readonly fingerprints: string;
  /** {@link sealDigest} of the seal before; null: it is the first. */
  readonly previous: string | null;
  /** {@link sealDigest} of the last seal of the source log, if events were copied from it since the seal before. */
  readonly source: string | null;
  /** The key that signed, and the proof that it succeeds the key of the seal before. */
  readonly key: string;
  readonly succeeds: { readonly of: string; readonly signature: string } | null;
  /** ISO 8601, UTC. */
  readonly sealedAt: string;
}

export interface Seal extends SealStatement {
  /** Ed25519 over {@link statementText}, in base64url. */
  readonly signature: string;
}

/**
 * A seal with the first bytes of each event's leaf, in order, in base64url. They help to find the event when
 * the seal does not fit. The seal is valid without them.
 */
export type StoredSeal = Seal & { readonly leaves: string };

/** The seal in the form for keeping and for proofs. */
export function sealAlone({ leaves: _, ...seal }: StoredSeal): Seal {
  return seal;
}

export const fingerprintBytes = 6;

/**
 * The leaf of an event: its JSON text, which must be the same in every store. `JSON.stringify` writes data and
 * metadata, as it did when this service stored them (docs/adr/0020-seals.md).
 */
export function sealedLeaf(event: RecordedEvent): Buffer {
  return leafHash(canonicalJson(event));
}

export function placeInSeal({ stream, revision, id }: RecordedEvent): SealedPlace {
  return { stream, revision: Number(revision), id: id.toLowerCase() };
}

/** The text that is signed. The order of its fields is part of the format. */
export function statementText(seal: SealStatement): string {
  const { version, chain, number, first, last, count, root, fingerprints } = seal;
  const { previous, source, key, succeeds, sealedAt } = seal;
  const place = ({ stream, revision, id }: SealedPlace) => [stream, revision, id];
  const range = [place(first), place(last), count, root, fingerprints];
  const chained = [previous, source, key, succeeds && [succeeds.of, succeeds.signature], sealedAt];
  return `atelier seal\n${JSON.stringify([version, chain, number, ...range, ...chained])}`;
}

/** Names a seal: SHA-256, in hex, of its statement and its signature. */
export function sealDigest(seal: Seal): string {
  return hash('sha256', `${statementText(seal)}\n${seal.signature}`);
}

/** Consecutive events of the log that are sealed together. */
export interface SealedRange {
  readonly first: SealedPlace;
  readonly last: SealedPlace;
  readonly leaves: readonly Buffer[];
}

/** The end of the chain in a log. */
export interface ChainEnd {
  /** The revision of the last event in the seals' stream. */
  readonly revision: bigint | 'no-stream';
  /** Undefined: nothing is sealed yet. */
  readonly seal: Seal | undefined;
  /** The source log's last seal, if an event with it follows that seal. */
  readonly source: Seal | undefined;
}

/** @throws what the store throws */
export async function readChainEnd(store: Pick<EventStore, 'readStream'>): Promise<ChainEnd> {
  let revision: bigint | 'no-stream' = 'no-stream';
  let source: Seal | undefined;
  for (let from: bigint | undefined; ;) {
    const page = { direction: 'backwards', limit: 1, ...(from !== undefined && { from }) } as const;
    const slice = await store.readStream(sealStream, page);
    const [event] = slice.kind === 'found' ? slice.events : [];
    if (!event) return { revision, seal: undefined, source };
    if (revision === 'no-stream') ({ revision } = event);
    // The audit checks whether it is what a sealer wrote.
    const seal = event.data as Seal;
    if (event.type === rangeSealed) return { revision, seal, source };
    source ??= seal;
    if (event.revision === 0n) return { revision, seal: undefined, source };
    from = event.revision - 1n;
  }
}

/** Makes the chain's next seal, over the range. */
export function sealOf(
  range: SealedRange,
  { seal: before, source }: Pick<ChainEnd, 'seal' | 'source'>,
  { key, chain, at }: { readonly key: SealKey; readonly chain: string; readonly at: Date },
): StoredSeal {
  const leaves = fingerprintsOf(range.leaves);
  const isSuccessor = before !== undefined && before.key !== key.publicKey;
  const statement: SealStatement = {
    version: 1,
    chain: before?.chain ?? chain,
    number: (before?.number ?? 0) + 1,
    first: range.first,
    last: range.last,
    count: range.leaves.length,
    root: merkleRoot(range.leaves).toString('hex'),
    fingerprints: hash('sha256', leaves),
    previous: before ? sealDigest(before) : null,
    source: source ? sealDigest(source) : null,
    key: key.publicKey,
    succeeds: isSuccessor && key.succession ? key.succession : null,
    sealedAt: at.toISOString(),
  };
  return { ...statement, signature: key.sign(statementText(statement)), leaves };
}

export function fingerprintsOf(leaves: readonly Buffer[]): string {
  return Buffer.concat(leaves.map((leaf) => leaf.subarray(0, fingerprintBytes))).toString('base64url');
}

/**
 * Whether the key of a seal may follow the key of the seal before: both are the same, or the old key has named the new
 * one.
 */
export function isRightfulKey(
  { key, succeeds }: Pick<SealStatement, 'key' | 'succeeds'>,
  before: string,
): boolean {
  if (key === before) return true;
  return succeeds?.of === before && isSealedBy(before, successionText(before, key), succeeds.signature);
}

/** Whether the seal is well formed, and the key that it names has signed it. */
export function isGenuine(seal: Seal): boolean {
  try {
    return isSealedBy(seal.key, statementText(seal), seal.signature);
  } catch {
    return false;
  }
}
