import { EventStoreError, passes, type EventStore, type RecordedEvent } from '#event-store/event-store.js';
import { ownEvents } from '#event-store/own-events.js';
import { canonicalJson, walkLog } from '#event-store/walk-log.js';
import { inclusionPath, leafHash, merkleRoot, rootByPath } from './merkle.js';
import { rangeSealed, sealStream } from './seal.events.js';
import { isGenuine, sealAlone, sealedLeaf, type Seal, type SealedPlace, type StoredSeal } from './seal.js';

/** Proves that an event is in the log as it was sealed. A check needs only the public key. */
export interface InclusionProof {
  readonly format: 'atelier proof 1';
  /** The text of the leaf: a JSON array of stream, revision, id, type, data and metadata. */
  readonly event: string;
  /** Among the events of the seal's range, from 0. */
  readonly index: number;
  /** From the leaf to the root, in hex. */
  readonly path: readonly string[];
  readonly seal: Seal;
}

/** @throws EventStoreError if no seal covers the event, or the seal's range has changed since it was sealed */
export async function proveInclusion(store: EventStore, event: RecordedEvent): Promise<InclusionProof> {
  const found = await findSeal(store, event.position);
  if (!found) throw new EventStoreError('no seal covers this event yet: a sealer needs about a second');
  const { seal, after, through } = found;
  const events: RecordedEvent[] = [];
  const { signal } = new AbortController();
  for await (const stretch of walkLog(store, { after, through, signal, unprovenToo: true }))
    events.push(...stretch.events.filter(passes(ownEvents)));
  const leaves = events.map(sealedLeaf);
  const index = events.findIndex(({ position }) => position === event.position);
  if (index < 0 || merkleRoot(leaves).toString('hex') !== seal.root)
    throw new EventStoreError(
      `the events under seal ${seal.number} have changed since they were sealed: "atelier ledger audit" shows where`,
    );
  const path = inclusionPath(leaves, index).map((node) => node.toString('hex'));
  return { format: 'atelier proof 1', event: canonicalJson(event), index, path, seal };
}

/**
 * The event that a proof proves, in its appended form. Undefined if the proof does not hold under this public
 * key.
 */
export function provenEvent(proof: InclusionProof, publicKey: string): unknown[] | undefined {
  const { seal, event, index } = proof;
  if (proof.format !== 'atelier proof 1' || seal.key !== publicKey || !isGenuine(seal)) return undefined;
  const path = proof.path.map((node) => Buffer.from(node, 'hex'));
  const root = rootByPath(leafHash(event), { index, count: seal.count, path });
  // A leaf is the text of an array.
  return root?.toString('hex') === seal.root ? (JSON.parse(event) as unknown[]) : undefined;
}

/** The seal that covers an event; undefined: none does yet. @throws the store's errors */
export async function sealOf(store: EventStore, event: RecordedEvent): Promise<Seal | undefined> {
  return (await findSeal(store, event.position))?.seal;
}

/**
 * The first seal whose last event is at or after the position, and where the seal's range lies in this store.
 */
async function findSeal(store: EventStore, position: bigint) {
  const endsBefore = async (revision: bigint) => {
    const seal = await nextSeal(store, revision, 'forwards');
    return seal !== undefined && (await positionOf(store, seal.last)) < position;
  };
  const end = await store.readStream(sealStream, { direction: 'backwards', limit: 1 });
  let high = end.kind === 'found' && end.events[0] ? end.events[0].revision + 1n : 0n;
  // Workers ask for the seals of recent events, so the search begins at the end and doubles its steps.
  const below = (step: bigint) => (high > step ? high - step : 0n);
  let low = below(1n);
  for (let step = 2n; low > 0n && !(await endsBefore(low)); step *= 2n) {
    high = low;
    low = below(step);
  }
  while (low < high) {
    const middle = (low + high) / 2n;
    if (await endsBefore(middle)) low = middle + 1n;
    else high = middle;
  }
  const seal = await nextSeal(store, low, 'forwards');
  if (!seal) return undefined;
  const before = low > 0n ? await nextSeal(store, low - 1n, 'backwards') : undefined;
  const after = before && (await positionOf(store, before.last));
  return { seal, after, through: await positionOf(store, seal.last) };
}

/**
 * The nearest seal at or after this revision of the seals' stream. Other events are few in the stream, so 16
 * events include a seal.
 */
async function nextSeal(
  store: EventStore,
  from: bigint,
  direction: 'forwards' | 'backwards',
): Promise<Seal | undefined> {
  const slice = await store.readStream(sealStream, { from, direction, limit: 16 });
  const events = slice.kind === 'found' ? slice.events : [];
  const stored = events.find(({ type }) => type === rangeSealed)?.data as StoredSeal | undefined;
  return stored && sealAlone(stored);
}

async function positionOf(store: EventStore, { stream, revision }: SealedPlace): Promise<bigint> {
  const slice = await store.readStream(stream, { from: BigInt(revision), limit: 1, unprovenToo: true });
  const [event] = slice.kind === 'found' ? slice.events : [];
  if (event) return event.position;
  throw new EventStoreError(
    `${stream} lacks revision ${revision}, which was sealed: run "atelier ledger audit"`,
  );
}
