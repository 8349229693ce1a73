import type { WrappedKey } from './master-key.js';

/** Whose words a key encrypts. */
export interface KeyOwner {
  readonly environment: string;
  readonly tenant: string;
}

/**
 * A row of the key store: one key of an owner, or a sheet of keys. `wrapped` is null once all of it is destroyed; the row
 * stays, so that this is known.
 */
export interface StoredKey {
  readonly id: string;
  readonly wrapped: WrappedKey | null;
}

/** Rows that are not destroyed as a whole. */
export interface KeyCount {
  readonly keys: number;
  readonly sheets: number;
  /** Keys and sheets that another master key has wrapped. */
  readonly underOtherMasters: number;
}

/** Where wrapped data keys are kept, apart from the log. */
export interface DataKeyStore {
  /** The owner's one key that is not destroyed, if there is one. Sheets do not count. */
  current(owner: KeyOwner): Promise<StoredKey | undefined>;
  /** Adds the key unless the owner has one. Several processes may do so at the same time. */
  add(owner: KeyOwner, id: string, wrapped: WrappedKey): Promise<void>;
  /** Adds a sheet of keys. An owner may have many. */
  addSheet(owner: KeyOwner, id: string, wrapped: WrappedKey): Promise<void>;
  /** Keys and sheets. Leaves out those that the store does not have. */
  find(ids: readonly string[]): Promise<readonly StoredKey[]>;
  /** Removes the wrapped bytes of each key and sheet of this owner for good. Returns their ids. */
  destroy(owner: KeyOwner): Promise<readonly string[]>;
  /** Keys and sheets that another master key than this one has wrapped. */
  wrappedByOthers(master: string, limit: number): Promise<readonly StoredKey[]>;
  count(master: string): Promise<KeyCount>;
  /**
   * Replaces the wrapped bytes of a key or sheet, unless they have changed or were destroyed meanwhile. Returns whether
   * it did. After a lost answer it may have done so and still return false.
   */
  replace(id: string, from: WrappedKey, to: WrappedKey): Promise<boolean>;
}
