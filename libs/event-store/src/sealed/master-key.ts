import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';

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

/** The lengths of AES-256-GCM, in bytes. A random nonce of 96 bits is safe for 2^32 uses of a key (NIST SP 800-38D). */
const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM: the nonce, the encrypted text and the tag. `bound` is authenticated along with it, and not included. */
export function encrypt(key: KeyObject, text: Buffer | string, bound: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(bound));
  const head = typeof text === 'string' ? cipher.update(text, 'utf8') : cipher.update(text);
  return Buffer.concat([nonce, head, cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error if the key, the bytes or `bound` are not those of {@link encrypt} */
export function decrypt(key: KeyObject, bytes: Buffer, bound: string): Buffer {
  const end = bytes.length - tagBytes;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(bound))
    .setAuthTag(bytes.subarray(end));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, end)), decipher.final()]);
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

function derived(secret: string): { readonly name: string; readonly key: KeyObject } {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'atelier master key', 32));
  return { name: hash('sha256', bytes, 'base64url').slice(0, 6), key: createSecretKey(bytes) };
}
