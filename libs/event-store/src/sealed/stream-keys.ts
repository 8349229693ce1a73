import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '#platform/cache-size.js';
import type { ExpectedRevision, StreamWrite } from '../event-store.js';
import type { DataKeyStore, KeyOwner } from './data-key-store.js';
import { KeyRow, keysOnSheet, newSheet, type DataKey } from './key-row.js';
import type { KeyRows } from './key-rows.js';

/** A sheet of this process alone. The keys from `next` on encrypt nothing yet. */
interface OwnSheet {
  readonly id: string;
  next: number;
}

/** The unused keys of one owner in this process. */
interface Supply {
  sheets: readonly OwnSheet[];
  /** Several calls share one refill. */
  refill?: Promise<void> | undefined;
}

interface StreamKey {
  /** The revision that the last write under this key expected, and the one that a write right behind it expects. */
  readonly after: ExpectedRevision;
  readonly next: bigint | undefined;
  readonly tenant: string;
  readonly sheet: string;
  readonly index: number;
  readonly dataKey: DataKey;
}

/** The next sheet is made when this many keys are left, so that a write seldom waits for it. */
const fewKeys = keysOnSheet / 2;

/** Streams that keep their key: about 6 MB. */
const mostStreams = 10_000;
/** The unused keys of an owner that is forgotten stay unused. */
const mostOwners = 10_000;

/**
 * Gives each stream a key that no other stream has. The keys come from sheets that this process has made for itself, so
 * no process has to know what another one gave. A stream keeps its key while this process alone writes it. Once another
 * process has written, that may have been its erasure, so the key may be destroyed: the next write takes a new one.
 */
export class StreamKeys {
  /** A key from here is only used while its sheet is in memory, and so at most a minute after the last look. */
  private readonly byStream = new LRUCache<string, StreamKey>(entriesUpTo(mostStreams));
  private readonly supplies = new LRUCache<string, Supply>(entriesUpTo(mostOwners));

  constructor(
    private readonly store: DataKeyStore,
    private readonly rows: KeyRows,
  ) {}

  /** The key of this stream, or an unused one, if this process has it in memory. */
  inMemory(write: StreamWrite, owner: KeyOwner): DataKey | undefined {
    const { stream, expectedRevision: after } = write;
    const given = this.byStream.get(stream);
    if (given && after === given.after && this.isUsable(given, owner)) return given.dataKey;
    const follows = given && after === given.next && this.isUsable(given, owner);
    const taken = follows ? given : this.takeUnused(owner);
    if (taken) this.byStream.set(stream, { ...taken, after, next: revisionAfter(write) });
    return taken?.dataKey;
  }

  /** Waits until {@link inMemory} has a key for this stream. */
  async prepare(write: StreamWrite, owner: KeyOwner): Promise<void> {
    while (!this.inMemory(write, owner)) await this.refill(owner, this.supplyOf(owner));
  }

  /** The next events of these streams get new keys. */
  forget(streams: Iterable<string>): void {
    for (const stream of streams) this.byStream.delete(stream);
  }

  private isUsable({ tenant, sheet, index, next }: StreamKey, owner: KeyOwner): boolean {
    const row = this.rows.get(sheet);
    if (tenant !== owner.tenant || next === undefined || row === undefined || row === 'destroyed')
      return false;
    return !row.isDestroyedAt(index);
  }

  private takeUnused(owner: KeyOwner): Omit<StreamKey, 'after' | 'next'> | undefined {
    const supply = this.supplies.get(nameOf(owner));
    const sheet = supply?.sheets[0];
    const row = sheet && this.rows.get(sheet.id);
    if (!supply || !sheet || !row || row === 'destroyed') return undefined;
    const index = sheet.next++;
    if (sheet.next === keysOnSheet) supply.sheets = supply.sheets.slice(1);
    // If it fails, the call that has to wait for keys tries again and tells.
    if (unusedIn(supply) < fewKeys) this.refill(owner, supply).catch(() => undefined);
    const key = row.keyAt(index);
    // No event names an unused key, so none is destroyed alone.
    if (!key || key === 'destroyed') return undefined;
    const { tenant } = owner;
    return { tenant, sheet: sheet.id, index, dataKey: { id: `${sheet.id}.${index}`, key } };
  }

  private supplyOf(owner: KeyOwner): Supply {
    const name = nameOf(owner);
    const supply = this.supplies.get(name) ?? { sheets: [] };
    this.supplies.set(name, supply);
    return supply;
  }

  private refill(owner: KeyOwner, supply: Supply): Promise<void> {
    return (supply.refill ??= this.refillOnce(owner, supply).finally(() => (supply.refill = undefined)));
  }

  /** Brings the first sheet back into memory, and adds one if few keys are left. */
  private async refillOnce(owner: KeyOwner, supply: Supply): Promise<void> {
    const [first] = supply.sheets;
    if (first) {
      const row = (await this.rows.load([first.id])).get(first.id);
      // Destroyed with its tenant, or lost with a key store that was restored.
      if (!row || row === 'destroyed') supply.sheets = supply.sheets.filter((sheet) => sheet !== first);
    }
    if (unusedIn(supply) >= fewKeys) return;
    const id = randomUUID();
    const bytes = newSheet();
    await this.store.addSheet(owner, id, await this.rows.wrap(bytes, id));
    this.rows.set(id, new KeyRow(bytes));
    supply.sheets = [...supply.sheets, { id, next: 0 }];
  }
}

/** Undefined: the write goes wherever the stream ends, so nothing tells what comes right behind it. */
function revisionAfter({ expectedRevision, events }: StreamWrite): bigint | undefined {
  if (expectedRevision === 'any') return undefined;
  return (expectedRevision === 'no-stream' ? -1n : expectedRevision) + BigInt(events.length);
}

const unusedIn = ({ sheets }: Supply): number =>
  sheets.reduce((unused, { next }) => unused + keysOnSheet - next, 0);

export function nameOf({ environment, tenant }: KeyOwner): string {
  return `${environment}/${tenant}`;
}
