import type { Readable } from 'node:stream';

/** Objects that are read through URLs which this service signed itself. */
export interface SignedObjects {
  allows(read: { readonly key: string; readonly expires: number; readonly signature: string }): boolean;
  /** @throws ObjectNotFound */
  openRead(key: string): Promise<{
    readonly stream: Readable;
    readonly sizeBytes: number;
    readonly contentType: string;
  }>;
}
