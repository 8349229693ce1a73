import { hashKey, type KeyHash } from '../memory/hash.js';
import type { Key } from './row-store.js';

export function hashOfRowKey(key: Key): KeyHash {
  return key.length === 1 ? hashKey(key[0]) : hashKey(key[0], key[1]);
}

/** A hash as the key of a map. */
export function hashText({ high, low }: KeyHash): string {
  return `${high}.${low}`;
}
