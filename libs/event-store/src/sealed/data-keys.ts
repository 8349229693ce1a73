import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { hasOwnKeys } from '#domain/streams.js';
import { entriesUpTo } from '#platform/cache-size.js';
import type { StreamWrite } from '../event-store.js';
import type { DataKeyStore, KeyCount, KeyOwner } from './data-key-store.js';
import { KeyRow, keyPlace, newKey, type DataKey } from './key-row.js';
import { keyLost, KeyRows, WordsUnreadable } from './key-rows.js';
import type { MasterKey } from './master-key.js';
import { nameOf, StreamKeys } from './stream-keys.js';

export interface DataKeysOptions {
  readonly store: DataKeyStore;
  readonly master: MasterKey;
  /** How long this process uses a key without asking the store again. Default {@link keyLifetimeMs}. */
  readonly lifetimeMs?: number;
}

/** A key that was destroyed is used nowhere after this time. */
export const keyLifetimeMs = 60_000;
const mostOwners = 10_000;
const rewrappedTogether = 200;

/**
 * The data keys as one process uses them: unwrapped, in memory, for a minute. Streams whose family declares `ownKeys`
 * have keys that no other stream has. All other streams of a tenant share one key.
 */
export class DataKeys {
  private readonly store: DataKeyStore;
  private readonly master: MasterKey;
  private readonly rows: KeyRows;
  private readonly ofStreams: StreamKeys;
  private readonly byOwner: LRUCache<string, DataKey, KeyOwner>;

  constructor({ store, master, lifetimeMs = keyLifetimeMs }: DataKeysOptions) {
    this.store = store;
    this.master = master;
    this.rows = new KeyRows({ store, master, lifetimeMs });
    this.ofStreams = new StreamKeys(store, this.rows);
    this.byOwner = new LRUCache({
      ...entriesUpTo(mostOwners),
      ttl: lifetimeMs,
      // Calls for one owner at the same time share one look.
      fetchMethod: (_name, _stale, { context }) => this.findOrMake(context),
    });
  }

  /** The key under which the words of this write are encrypted now, if this process has it in memory. */
  inMemory(write: StreamWrite, owner: KeyOwner): DataKey | undefined {
    return hasOwnKeys(write.stream) ? this.ofStreams.inMemory(write, owner) : this.byOwner.get(nameOf(owner));
  }

  /** Waits until {@link inMemory} has a key for this stream. The first call for an owner makes it. */
  async prepare(write: StreamWrite, owner: KeyOwner): Promise<void> {
    if (hasOwnKeys(write.stream)) await this.ofStreams.prepare(write, owner);
    else await this.byOwner.fetch(nameOf(owner), { context: owner });
  }

  /** The keys with these ids, in one look. @throws WordsUnreadable if the store does not know one of them */
  async find(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, DataKey | 'destroyed'>> {
    const places = [...ids].map((id) => ({ id, ...keyPlace(id) }));
    const rows = await this.rows.load(new Set(places.map(({ row }) => row)));
    return new Map(
      places.map(({ id, row: name, index = 0 }) => {
        const row = rows.get(name);
        const key = row === 'destroyed' ? row : row?.keyAt(index);
        if (!key) throw keyLost(id);
        return [id, key === 'destroyed' ? key : { id, key }] as const;
      }),
    );
  }

  /**
   * Destroys keys of sheets, and leaves their neighbours. Other keys serve a whole tenant, and stay. May be repeated, and
   * others may destroy or wrap keys of the same sheets meanwhile.
   * @throws WordsUnreadable if the store lacks a sheet. Keys of other sheets may be destroyed by then.
   */
  async destroyOnSheets(ids: Iterable<string>): Promise<void> {
    const indexes = new Map<string, Set<number>>();
    for (const { row, index } of [...ids].map(keyPlace))
      if (index !== undefined) indexes.set(row, (indexes.get(row) ?? new Set()).add(index));
    for (const [sheet, gone] of indexes) while (!(await this.overwritten(sheet, gone)));
  }

  /** The next events of these streams get keys that no event has yet. */
  forget(streams: Iterable<string>): void {
    this.ofStreams.forget(streams);
  }

  /** Destroys the owner's keys. The words under them cannot be read again by this process; by others within a minute. */
  async destroy(owner: KeyOwner): Promise<readonly string[]> {
    const ids = await this.store.destroy(owner);
    this.byOwner.delete(nameOf(owner));
    for (const id of ids) this.rows.set(id, 'destroyed');
    return ids;
  }

  count(): Promise<KeyCount> {
    return this.store.count(this.master.name);
  }

  /** Wraps every key and sheet by the present master key. May be repeated. Returns how many needed it. */
  async rewrap(): Promise<number> {
    const { store, master, rows } = this;
    let rewrapped = 0;
    for (;;) {
      const others = await store.wrappedByOthers(master.name, rewrappedTogether);
      if (others.length === 0) return rewrapped;
      for (const { id, wrapped } of others) {
        if (!wrapped) continue;
        // Left for the next look if a key was destroyed on it meanwhile.
        await store.replace(id, wrapped, await rows.wrap(await rows.unwrap(id, wrapped), id));
        rewrapped += 1;
      }
    }
  }

  /** False: the sheet has changed meanwhile, or the answer was lost. The store does not say which, so look again. */
  private async overwritten(sheet: string, indexes: ReadonlySet<number>): Promise<boolean> {
    const [stored] = await this.store.find([sheet]);
    if (!stored) throw keyLost(sheet);
    const row = await this.rows.unwrapped(stored);
    if (!stored.wrapped || row === 'destroyed') return true;
    const nowhere = [...indexes].find((index) => !row.keyAt(index));
    if (nowhere !== undefined) throw keyLost(`${sheet}.${nowhere}`);
    const left = row.without(indexes);
    if (!left) return true;
    if (!(await this.store.replace(sheet, stored.wrapped, await this.rows.wrap(left, sheet)))) return false;
    this.rows.set(sheet, new KeyRow(left));
    return true;
  }

  private async findOrMake(owner: KeyOwner): Promise<DataKey> {
    let stored = await this.store.current(owner);
    if (!stored) {
      const id = randomUUID();
      await this.store.add(owner, id, await this.rows.wrap(newKey(), id));
      // Another process may have been faster.
      stored = await this.store.current(owner);
    }
    const row = stored && (await this.rows.unwrapped(stored));
    const key = row && row !== 'destroyed' ? row.keyAt(0) : undefined;
    if (stored && key && key !== 'destroyed') return { id: stored.id, key };
    throw new WordsUnreadable(`the data key of ${nameOf(owner)} was destroyed while it was made`);
  }
}
