import type { KeyObject } from 'node:crypto';
import { namedKey, type NamedKey } from '../named-key.js';
import { decrypt, encrypt } from '#platform/aes-gcm.js';

/** A data key as it is stored: encrypted by a master key that the database does not have. */
export interface WrappedKey {
  readonly wrapped: Buffer;
  /** Names the master key. Reveals nothing about it. */
  readonly master: string;
}

/**
 * Wraps and unwraps data keys. The service's own implementation has the master key in memory. A key management service
 * implements the same with two calls.
 */
export abstract class MasterKey {
  /** The name of the key that wraps. Keys under another name should be wrapped again. */
  abstract readonly name: string;

  /** @param id of the data key; the wrapped key opens only under the same id */
  abstract wrap(dataKey: Buffer, id: string): Promise<WrappedKey>;

  /** @throws Error if it lacks the master key, or the wrapped key was changed */
  abstract unwrap(wrapped: WrappedKey, id: string): Promise<Buffer>;
}

export interface MasterSecrets {
  /** `ATELIER_MASTER_KEY`. */
  readonly masterKey: string;
  /** Further secrets that still unwrap: those from before a rotation, or the next one during its rollout. */
  readonly accepted?: readonly string[];
}

/** Master keys that derive from secrets in this process. */
export class LocalMasterKey extends MasterKey {
  readonly name: string;
  private readonly keys: ReadonlyMap<string, KeyObject>;

  constructor({ masterKey, accepted = [] }: MasterSecrets) {
    super();
    const current = derived(masterKey);
    this.name = current.name;
    this.keys = new Map([...accepted.map(derived), current].map(({ name, key }) => [name, key]));
  }

  wrap(dataKey: Buffer, id: string): Promise<WrappedKey> {
    return Promise.resolve({ wrapped: encrypt(this.keyNamed(this.name), dataKey, id), master: this.name });
  }

  unwrap({ wrapped, master }: WrappedKey, id: string): Promise<Buffer> {
    return Promise.resolve().then(() => decrypt(this.keyNamed(master), wrapped, id));
  }

  private keyNamed(name: string): KeyObject {
    const key = this.keys.get(name);
    if (key) return key;
    throw new Error(
      `it is wrapped by the master key ${name}, which this process does not have: set it in ATELIER_ACCEPTED_MASTER_KEYS`,
    );
  }
}

const derived = (secret: string): NamedKey => namedKey(secret, 'atelier master key');
