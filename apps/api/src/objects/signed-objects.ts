import type { Readable } from 'node:stream';

/** Objects that are read through URLs which this service signed itself. */
export abstract class SignedObjects {
  abstract allows(read: {
    readonly key: string;
    readonly expires: number;
    readonly signature: string;
  }): boolean;
  /** @throws ObjectNotFound */
  abstract openRead(key: string): Promise<{
    readonly stream: Readable;
    readonly sizeBytes: number;
    readonly contentType: string;
  }>;
}
