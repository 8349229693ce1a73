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

  /** Gives the bytes to `take` while they arrive. @throws ObjectNotFound; what `take` throws */
  abstract stream<Result>(
    key: string,
    take: (bytes: AsyncIterable<Uint8Array>) => Promise<Result>,
  ): Promise<Result>;

  /** SHA-256, in hex, of the current bytes, all of which it reads. @throws ObjectNotFound */
  abstract digest(key: string): Promise<string>;

  /** Whether the key has an object now. It does not read the bytes. */
  abstract has(key: string): Promise<boolean>;

  /** Whether the URLs of {@link presignGet} lead to another server, which serves its bytes unchecked. */
  abstract readonly isServedElsewhere: boolean;

  /** A GET URL that anyone may use until it expires. Computed locally, no round trip. */
  abstract presignGet(key: string, expiresInSeconds?: number): Promise<string>;

  /**
   * A form with which anyone may store one file under the key until it expires. Computed locally, no round trip.
   * @returns undefined where callers cannot reach the storage itself
   */
  abstract presignPost(key: string, terms: FormTerms): Promise<PostForm | undefined>;
}

export interface FormTerms {
  readonly contentType: string;
  readonly mostBytes: number;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** For `multipart/form-data`: the fields first, and then the file, in a field `file`. */
export interface PostForm {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
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
