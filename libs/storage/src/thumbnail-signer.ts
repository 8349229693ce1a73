import type { Clock } from '#platform/clock.js';
import type { Configuration } from '#platform/configuration.js';
import { isSignedBy, signedQuery } from './folder/folder-storage.js';
import { presignedUrlSeconds } from './object-storage.js';

/** The signature covers the width, so callers can only ask for sizes that exist. */
const pathOf = (storageKey: string, width: number) => `thumbnails/${width}/${storageKey}`;

/** URLs of smaller pictures. The API serves them itself, for every kind of object store (ADR 34). */
export class ThumbnailSigner {
  private readonly secret: string | undefined;
  private readonly base: string;

  constructor(
    { signingKey, storage, publicUrl }: Pick<Configuration, 'signingKey' | 'storage' | 'publicUrl'>,
    private readonly clock: Clock,
  ) {
    this.secret = signingKey ?? (storage.kind === 'folder' ? storage.signingSecret : undefined);
    this.base = `${publicUrl}/objects/`;
  }

  /** Undefined if this installation has no signing key. */
  of(storageKey: string): Record<256 | 512 | 1024, string> | undefined {
    const { secret, base } = this;
    if (secret === undefined) return undefined;
    const now = this.clock().getTime();
    const urlOf = (width: number) => {
      const path = pathOf(storageKey, width);
      return `${base}${path}?${signedQuery(secret, path, now, presignedUrlSeconds)}`;
    };
    return { 256: urlOf(256), 512: urlOf(512), 1024: urlOf(1024) };
  }

  /** The answer is the same for forged and expired URLs. */
  allows(read: { storageKey: string; width: number; expires: number; signature: string }): boolean {
    const { storageKey, width, expires, signature } = read;
    if (this.secret === undefined || expires * 1000 < this.clock().getTime()) return false;
    return isSignedBy(this.secret, { key: pathOf(storageKey, width), expires, signature });
  }
}
