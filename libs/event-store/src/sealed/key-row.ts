import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';

const keyBytes = 32;

/** Stands at the place of a destroyed key. A random key is never like that. */
const blank = Buffer.alloc(keyBytes);

/** 2 KB together. A key management service still wraps that in one call: AWS KMS takes up to 4 KB. */
export const keysOnSheet = 64;

/** A key that encrypts words of events. `id` names it in each event that needs it. */
export interface DataKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Where a key is. An event names it: `<row>` for the one key of a tenant, `<row>.<index>` for a key of a sheet. */
export interface KeyPlace {
  readonly row: string;
  /** Undefined: the row is one key. */
  readonly index: number | undefined;
}

export function keyPlace(id: string): KeyPlace {
  const dot = id.indexOf('.');
  return dot < 0
    ? { row: id, index: undefined }
    : { row: id.slice(0, dot), index: Number(id.slice(dot + 1)) };
}

export const newKey = (): Buffer => randomBytes(keyBytes);

export const newSheet = (): Buffer => randomBytes(keyBytes * keysOnSheet);

/** The unwrapped keys of a row: one, or those of a sheet. */
export class KeyRow {
  constructor(private readonly bytes: Buffer) {}

  get sizeBytes(): number {
    return this.bytes.length;
  }

  /** Makes the object anew each time, which takes a quarter of the time of an encryption. Undefined: no such place. */
  keyAt(index: number): KeyObject | 'destroyed' | undefined {
    const key = this.bytesAt(index);
    if (key.length < keyBytes) return undefined;
    return key.equals(blank) ? 'destroyed' : createSecretKey(key);
  }

  isDestroyedAt(index: number): boolean {
    return this.bytesAt(index).equals(blank);
  }

  /** The bytes with these keys overwritten. Undefined: they are already. */
  without(indexes: ReadonlySet<number>): Buffer | undefined {
    const left = Buffer.from(this.bytes);
    for (const index of indexes) left.fill(0, index * keyBytes, (index + 1) * keyBytes);
    return left.equals(this.bytes) ? undefined : left;
  }

  private bytesAt(index: number): Buffer {
    return this.bytes.subarray(index * keyBytes, (index + 1) * keyBytes);
  }
}
