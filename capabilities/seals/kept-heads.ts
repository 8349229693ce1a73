import type { EventStore } from '#event-store/event-store.js';
import { rangeSealed, sealStream } from './seal.events.js';
import { isGenuine, readChainEnd, sealDigest, type ChainEnd, type Seal } from './seal.js';
import { isSealedBy, type SealKey } from './seal.key.js';
import { ObjectNotFound, type ObjectStorage } from '#storage/object-storage.js';
import { SealingRefused } from './sealer.js';

/** An operator's reason to let sealing go on from where the log ends, although more was sealed. */
export interface Acceptance {
  readonly by: string;
  readonly reason: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** {@link sealDigest} of the seal that is given up. */
  readonly instead: string | null;
  /** Ed25519 over {@link acceptanceText}, by the key under which the heads are kept. */
  readonly signature: string;
}

/** A record outside the database of how far the log was sealed. */
export interface Head {
  readonly format: 'atelier head 1';
  /** Null if an operator has accepted a log that was not sealed yet. */
  readonly seal: Seal | null;
  readonly accepted: Acceptance | null;
}

/** From 1, without gaps. */
export interface PlacedHead extends Head {
  readonly place: number;
}

type Storage = Pick<ObjectStorage, 'get' | 'create'>;

/**
 * The heads under one public key. The owner of the database can neither choose this key nor write to the heads.
 * Each head is an object of its own, which is written only if it is absent, and never again. Heads are numbered
 * without gaps, so about forty reads find the newest of a million.
 */
export class KeptHeads {
  /** The newest place seen so far. */
  private seen = 0;

  constructor(
    private readonly storage: Storage,
    private readonly publicKey: string,
  ) {}

  /** @throws SealingRefused for an object that is no head, and what the storage throws */
  async newest(): Promise<PlacedHead | undefined> {
    let [there, step] = [this.seen, 1];
    while (await this.has(there + step)) [there, step] = [there + step, step * 2];
    for (let absent = there + step; absent - there > 1;) {
      const middle = Math.floor((there + absent) / 2);
      if (await this.has(middle)) there = middle;
      else absent = middle;
    }
    this.seen = there;
    return there === 0 ? undefined : this.read(there);
  }

  /** @returns false if another process has kept a head at this place */
  async add(place: number, head: Head): Promise<boolean> {
    const text = `${JSON.stringify(head)}\n`;
    const isNew = await this.storage.create(this.keyOf(place), Buffer.from(text), 'application/json');
    // The answer to an earlier attempt may have been lost.
    if (!isNew && (await this.storage.get(this.keyOf(place))).toString() !== text) return false;
    this.seen = Math.max(this.seen, place);
    return true;
  }

  private async has(place: number): Promise<boolean> {
    return (await this.bytes(place)) !== undefined;
  }

  private async bytes(place: number): Promise<Buffer | undefined> {
    try {
      return await this.storage.get(this.keyOf(place));
    } catch (error) {
      if (error instanceof ObjectNotFound) return undefined;
      throw error;
    }
  }

  private async read(place: number): Promise<PlacedHead> {
    const head = parsed((await this.bytes(place))?.toString() ?? '');
    if (head && this.isOurs(place, head)) return { ...head, place };
    throw new SealingRefused(
      `${this.keyOf(place)} in object storage is not a head of this key's seals: restore it from a backup (docs/seals.md)`,
    );
  }

  private isOurs(place: number, { seal, accepted }: Head): boolean {
    if (seal && !isGenuine(seal)) return false;
    if (!accepted) return seal !== null;
    return isSealedBy(this.publicKey, acceptanceText(place, seal, accepted), accepted.signature);
  }

  private keyOf(place: number): string {
    return `seals/key-${this.publicKey}/head-${String(place).padStart(10, '0')}.json`;
  }
}

function parsed(text: string): Head | undefined {
  try {
    const head = JSON.parse(text) as Head;
    return head.format === 'atelier head 1' ? head : undefined;
  } catch {
    return undefined;
  }
}

/** The text that is signed. The order of its parts is part of the format. */
function acceptanceText(place: number, seal: Seal | null, accepted: Omit<Acceptance, 'signature'>): string {
  const { by, reason, at, instead } = accepted;
  return `atelier head\n${JSON.stringify([place, seal && sealDigest(seal), by, reason, at, instead])}`;
}

/**
 * The newest head under the key itself. If nothing was sealed with that key yet, the newest head under the key
 * that it succeeds.
 */
export async function newestHead(
  storage: Storage,
  { publicKey, succession }: Pick<SealKey, 'publicKey' | 'succession'>,
): Promise<PlacedHead | undefined> {
  const own = await new KeptHeads(storage, publicKey).newest();
  return own ?? (succession && (await new KeptHeads(storage, succession.of).newest()));
}

/**
 * One line about how the log differs from the head outside; undefined if it holds the head. The log is read
 * after the head, because another process may seal meanwhile.
 * @throws what the store throws
 */
export async function misfitOfHead(
  store: Pick<EventStore, 'readStream'>,
  { seal: kept }: Head,
): Promise<string | undefined> {
  if (!kept) return undefined;
  const there = await sealAt(store, kept.number);
  if (there && sealDigest(there) === sealDigest(kept)) return undefined;
  const head = `seal ${kept.number} of chain ${kept.chain}, of ${kept.sealedAt}, is kept outside the database`;
  const { seal: end } = await readChainEnd(store);
  if (end?.chain === kept.chain && end.number >= kept.number)
    return `${head}, and the log has another seal in its place`;
  const reached = end ? `seal ${end.number} of chain ${end.chain}` : 'no seal';
  return `${head}, and the log ends with ${reached}`;
}

/** Between the seals of a chain there may be a few events that name the log that it was copied from. */
async function sealAt(store: Pick<EventStore, 'readStream'>, number: number): Promise<Seal | undefined> {
  for (let from = BigInt(number - 1); ;) {
    const slice = await store.readStream(sealStream, { from, limit: 16 });
    const events = slice.kind === 'found' ? slice.events : [];
    for (const { type, data } of events) {
      // The digest shows whether it is the kept seal.
      const seal = data as Seal;
      if (type === rangeSealed && seal.number >= number) return seal;
    }
    const last = events.at(-1);
    if (!last) return undefined;
    from = last.revision + 1n;
  }
}

const wayOut =
  'the database was altered, or restored from an older backup. Run "atelier ledger audit". If the restore was yours, run "atelier seal accept --reason TEXT" and start the projectors again (docs/seals.md)';

/** @throws SealingRefused with one line of advice, and what store and storage throw */
export async function requireHead(
  store: Pick<EventStore, 'readStream'>,
  head: Head | undefined,
): Promise<void> {
  const misfit = head && (await misfitOfHead(store, head));
  if (misfit !== undefined) throw new SealingRefused(`${misfit}: ${wayOut}`);
}

/**
 * Lets sealing go on from where the log ends.
 * @throws SealingRefused if another process has kept a head meanwhile
 */
export async function acceptEnd(
  storage: Storage,
  key: SealKey,
  { seal }: Pick<ChainEnd, 'seal'>,
  by: Pick<Acceptance, 'by' | 'reason' | 'at'>,
): Promise<PlacedHead> {
  const heads = new KeptHeads(storage, key.publicKey);
  const before = await newestHead(storage, key);
  const place = ((await heads.newest())?.place ?? 0) + 1;
  const unsigned = { ...by, instead: before?.seal ? sealDigest(before.seal) : null };
  const signature = key.sign(acceptanceText(place, seal ?? null, unsigned));
  const head: Head = { format: 'atelier head 1', seal: seal ?? null, accepted: { ...unsigned, signature } };
  if (await heads.add(place, head)) return { ...head, place };
  throw new SealingRefused('another process has kept a head meanwhile: stop all projectors and try again');
}
