import { createHash } from 'node:crypto';

/** The store of pictures. Keys are ours (`{env}/{tenant}/…`), never a path or a URL from a caller. */
export abstract class ObjectStorage {
  /** Stores the bytes; an object under the same key is replaced as a whole. */
  abstract put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;

  /** Stores the bytes under a new key. @returns false if the key has an object already; that object stays unchanged */
  abstract create(key: string, bytes: Uint8Array, contentType: string): Promise<boolean>;

  /** @throws ObjectNotFound */
  abstract get(key: string): Promise<Buffer>;

  /** Removes an object. Does nothing if there is none. */
  abstract remove(key: string): Promise<void>;

  /**
   * Removes each object whose key begins with the prefix, for good: in all versions, and with writes of it that were
   * never finished. The prefix must name at least a tenant's folder and something in it.
   * @returns how many objects and versions it removed
   */
  abstract erase(prefix: string): Promise<number>;

  /** The keys that begin with the prefix, in no particular order. The prefix ends with a slash. */
  abstract list(prefix: string): Promise<string[]>;

  /** SHA-256, in hex, of the current bytes, all of which it reads. @throws ObjectNotFound */
  abstract digest(key: string): Promise<string>;

  /** Whether the key has an object now. It does not read the bytes. */
  abstract has(key: string): Promise<boolean>;

  /** Whether the URLs of {@link presignGet} lead to another server, which serves its bytes unchecked. */
  abstract readonly isServedElsewhere: boolean;

  /** A GET URL that anyone may use until it expires. Computed locally, no round trip. */
  abstract presignGet(key: string, expiresInSeconds?: number): Promise<string>;
}

export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound';
}

/** SHA-256, in hex, of bytes that come one after the other. */
export async function digestOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const sha256 = createHash('sha256');
  for await (const chunk of bytes) sha256.update(chunk);
  return sha256.digest('hex');
}

export const presignedUrlSeconds = 15 * 60;
