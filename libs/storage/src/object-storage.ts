/** Where pictures live. Keys are ours (`{env}/{tenant}/…`), never a path or a URL that a caller gave. */
export abstract class ObjectStorage {
  /** Stores the bytes; an object under the same key is replaced as a whole. */
  abstract put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;

  /** @throws ObjectNotFound */
  abstract get(key: string): Promise<Buffer>;

  /** A GET URL that anyone may use until it expires. Computed locally, no round trip. */
  abstract presignGet(key: string, expiresInSeconds?: number): Promise<string>;
}

export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound';
}

export const presignedUrlSeconds = 15 * 60;
