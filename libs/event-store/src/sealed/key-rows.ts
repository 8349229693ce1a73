import { LRUCache } from 'lru-cache';
import { messageOf } from '#platform/errors.js';
import { EventStoreRefused } from '../event-store.js';
import type { DataKeyStore, StoredKey } from './data-key-store.js';
import { KeyRow } from './key-row.js';
import type { MasterKey, WrappedKey } from './master-key.js';

/**
 * Words cannot be read or written, because a key is missing or does not fit. Nothing was written. No word counts as
 * erased because of that.
 */
export class WordsUnreadable extends EventStoreRefused {}

/** In memory: 10,000 single keys, or 1,600 sheets. */
const mostBytes = 4 * 1024 * 1024;
/** The part of a row that is not its keys. */
const bytesBeside = 400;

export interface KeyRowsOptions {
  readonly store: DataKeyStore;
  readonly master: MasterKey;
  readonly lifetimeMs: number;
}

/** Rows of the key store as one process has them: unwrapped, in memory, for a minute. */
export class KeyRows {
  private readonly inMemory: LRUCache<string, KeyRow | 'destroyed'>;
  private readonly store: DataKeyStore;
  private readonly master: MasterKey;

  constructor({ store, master, lifetimeMs: ttl }: KeyRowsOptions) {
    this.store = store;
    this.master = master;
    const sizeCalculation = (row: KeyRow | 'destroyed') =>
      bytesBeside + (row === 'destroyed' ? 0 : row.sizeBytes);
    this.inMemory = new LRUCache({ maxSize: mostBytes, sizeCalculation, ttl });
  }

  get(id: string): KeyRow | 'destroyed' | undefined {
    return this.inMemory.get(id);
  }

  set(id: string, row: KeyRow | 'destroyed'): void {
    this.inMemory.set(id, row);
  }

  /** From memory, the others in one look. Leaves out rows that the store does not have. */
  async load(ids: Iterable<string>): Promise<ReadonlyMap<string, KeyRow | 'destroyed'>> {
    const found = new Map<string, KeyRow | 'destroyed'>();
    const missing: string[] = [];
    for (const id of ids) {
      const known = this.get(id);
      if (known) found.set(id, known);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    for (const stored of await this.store.find(missing)) found.set(stored.id, await this.unwrapped(stored));
    return found;
  }

  /** Opens a row, and keeps it in memory. */
  async unwrapped({ id, wrapped }: StoredKey): Promise<KeyRow | 'destroyed'> {
    const row = wrapped ? new KeyRow(await this.unwrap(id, wrapped)) : 'destroyed';
    this.set(id, row);
    return row;
  }

  wrap(bytes: Buffer, id: string): Promise<WrappedKey> {
    return this.master.wrap(bytes, id);
  }

  async unwrap(id: string, wrapped: WrappedKey): Promise<Buffer> {
    try {
      return await this.master.unwrap(wrapped, id);
    } catch (error) {
      throw new WordsUnreadable(`the data key ${id} cannot be unwrapped: ${messageOf(error)}`);
    }
  }
}

/** A row that events name and the store does not have. Such a row is never taken for a destroyed one. */
export function keyLost(id: string): WordsUnreadable {
  return new WordsUnreadable(
    `the key store lacks the data key ${id}, which events on the log need: restore the newest backup of the key store (docs/privacy.md)`,
  );
}
