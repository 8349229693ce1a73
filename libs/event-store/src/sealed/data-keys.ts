import { createSecretKey, randomBytes, randomUUID, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '#platform/cache-size.js';
import { messageOf } from '#platform/errors.js';
import { EventStoreRefused } from '../event-store.js';
import type { MasterKey, WrappedKey } from './master-key.js';

/** Whose words a key encrypts. */
export interface KeyOwner {
  readonly environment: string;
  readonly tenant: string;
}

/** A key that encrypts words of events. `id` names it in each event that needs it. */
export interface DataKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** A row of the key store. `wrapped` is null once the key is destroyed; the row stays, so that this is known. */
export interface StoredKey {
  readonly id: string;
  readonly wrapped: WrappedKey | null;
}

export interface KeyCount {
  readonly keys: number;
  readonly underOtherMasters: number;
}

/** Where wrapped data keys are kept, apart from the log. */
export interface DataKeyStore {
  /** The owner's key that is not destroyed, if there is one. */
  current(owner: KeyOwner): Promise<StoredKey | undefined>;
  /** Adds the key unless the owner has one. Several processes may do so at the same time. */
  add(owner: KeyOwner, id: string, wrapped: WrappedKey): Promise<void>;
  find(ids: readonly string[]): Promise<readonly StoredKey[]>;
  /** Removes the wrapped key of each key of this owner for good. Returns their ids. */
  destroy(owner: KeyOwner): Promise<readonly string[]>;
  /** Keys that another master key than this one has wrapped. */
  wrappedByOthers(master: string, limit: number): Promise<readonly StoredKey[]>;
  /** Keys that are not destroyed, and those of them that another master key has wrapped. */
  count(master: string): Promise<KeyCount>;
  /** Replaces the wrapped key, unless it has changed or was destroyed meanwhile. */
  rewrap(id: string, from: WrappedKey, to: WrappedKey): Promise<void>;
}

/**
 * Words cannot be read or written, because a key is missing or does not fit. Nothing was written. No word counts as
 * erased because of that.
 */
export class WordsUnreadable extends EventStoreRefused {}

export interface DataKeysOptions {
  readonly store: DataKeyStore;
  readonly master: MasterKey;
  /** How long this process uses a key without asking the store again. Default {@link keyLifetimeMs}. */
  readonly lifetimeMs?: number;
}

/** A key that was destroyed is used nowhere after this time. */
export const keyLifetimeMs = 60_000;
/** Keys in memory: about 4 MB. */
const mostKeys = 10_000;
const rewrappedTogether = 200;

/** The data keys as one process uses them: unwrapped, in memory, for a minute. */
export class DataKeys {
  private readonly store: DataKeyStore;
  private readonly master: MasterKey;
  private readonly byId: LRUCache<string, DataKey | 'destroyed'>;
  private readonly byOwner: LRUCache<string, DataKey, KeyOwner>;

  constructor({ store, master, lifetimeMs: ttl = keyLifetimeMs }: DataKeysOptions) {
    this.store = store;
    this.master = master;
    this.byId = new LRUCache({ ...entriesUpTo(mostKeys), ttl });
    this.byOwner = new LRUCache({
      ...entriesUpTo(mostKeys),
      ttl,
      // Calls for one owner at the same time share one look.
      fetchMethod: (_name, _stale, { context }) => this.findOrMake(context),
    });
  }

  /** The key under which words of this owner are written now. The first call for an owner makes it. */
  async currentOf(owner: KeyOwner): Promise<DataKey> {
    const key = await this.byOwner.fetch(nameOf(owner), { context: owner });
    if (!key) throw new WordsUnreadable(`there is no data key for ${nameOf(owner)}`);
    return key;
  }

  /** The same, if this process has it in memory. */
  inMemory(owner: KeyOwner): DataKey | undefined {
    return this.byOwner.get(nameOf(owner));
  }

  /** The keys with these ids, in one look. @throws WordsUnreadable if the store does not know one of them */
  async find(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, DataKey | 'destroyed'>> {
    const found = new Map<string, DataKey | 'destroyed'>();
    const missing: string[] = [];
    for (const id of ids) {
      const known = this.byId.get(id);
      if (known) found.set(id, known);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    for (const stored of await this.store.find(missing)) found.set(stored.id, await this.remembered(stored));
    const unknown = missing.find((id) => !found.has(id));
    if (unknown === undefined) return found;
    throw new WordsUnreadable(
      `the key store lacks the data key ${unknown}, which events on the log need: restore the newest backup of the key store (docs/privacy.md)`,
    );
  }

  /** Destroys the owner's keys. The words under them cannot be read again by this process; by others within a minute. */
  async destroy(owner: KeyOwner): Promise<readonly string[]> {
    const ids = await this.store.destroy(owner);
    this.byOwner.delete(nameOf(owner));
    for (const id of ids) this.byId.set(id, 'destroyed');
    return ids;
  }

  count(): Promise<KeyCount> {
    return this.store.count(this.master.name);
  }

  /** Wraps every key by the present master key. May be repeated. Returns how many keys needed it. */
  async rewrap(): Promise<number> {
    const { store, master } = this;
    let rewrapped = 0;
    for (;;) {
      const keys = await store.wrappedByOthers(master.name, rewrappedTogether);
      if (keys.length === 0) return rewrapped;
      for (const { id, wrapped } of keys) {
        if (!wrapped) continue;
        await store.rewrap(id, wrapped, await master.wrap(await this.unwrap(id, wrapped), id));
        rewrapped += 1;
      }
    }
  }

  private async findOrMake(owner: KeyOwner): Promise<DataKey> {
    let stored = await this.store.current(owner);
    if (!stored) {
      const id = randomUUID();
      await this.store.add(owner, id, await this.master.wrap(randomBytes(32), id));
      // Another process may have been faster.
      stored = await this.store.current(owner);
    }
    const key = stored && (await this.remembered(stored));
    if (key && key !== 'destroyed') return key;
    throw new WordsUnreadable(`the data key of ${nameOf(owner)} was destroyed while it was made`);
  }

  private async remembered({ id, wrapped }: StoredKey): Promise<DataKey | 'destroyed'> {
    const key = wrapped ? { id, key: createSecretKey(await this.unwrap(id, wrapped)) } : 'destroyed';
    this.byId.set(id, key);
    return key;
  }

  private async unwrap(id: string, wrapped: WrappedKey): Promise<Buffer> {
    try {
      return await this.master.unwrap(wrapped, id);
    } catch (error) {
      throw new WordsUnreadable(`the data key ${id} cannot be unwrapped: ${messageOf(error)}`);
    }
  }
}

function nameOf({ environment, tenant }: KeyOwner): string {
  return `${environment}/${tenant}`;
}
