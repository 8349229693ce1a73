import { createSecretKey, hash, hkdfSync, type KeyObject } from 'node:crypto';

export interface NamedKey {
  /** Six characters that identify the key. They reveal nothing about it. */
  readonly name: string;
  readonly key: KeyObject;
}

/** Derives a key from a secret. Keys for different uses differ, even if they derive from the same secret. */
export function namedKey(secret: string, use: string): NamedKey {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', use, 32));
  return { name: hash('sha256', bytes, 'base64url').slice(0, 6), key: createSecretKey(bytes) };
}
