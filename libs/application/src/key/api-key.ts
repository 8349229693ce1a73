import { hash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Environment } from '#domain/streams.js';
import { newId } from '#platform/ids.js';

/**
 * An API key is `sk_{environment}_{key id}{secret}{checksum}`. The prefix selects the data environment. The key
 * id (a ULID) names the key's event stream. The secret is 160 random bits. The checksum lets the service refuse
 * a mistyped or made-up key without a database read. All parts are in Crockford's base 32, so a double click
 * selects the whole key.
 */
export interface ApiKeyParts {
  readonly environment: Environment;
  readonly keyId: string;
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const secretLength = 32;
const checksumLength = 7;
const pattern =
  /^sk_(live|test)_([0-7][0-9A-HJKMNP-TV-Z]{25})([0-9A-HJKMNP-TV-Z]{32})([0-9A-HJKMNP-TV-Z]{7})$/;

export function generateApiKey(environment: Environment, keyId = newId()): { keyId: string; key: string } {
  return { keyId, key: withSecret(`sk_${environment}_${keyId}`) };
}

/** Appends a new secret and the checksum of both to the text. */
export function withSecret(text: string): string {
  const secret = Array.from(randomBytes(secretLength), (byte) => alphabet[byte & 31]).join('');
  return text + secret + checksum(text + secret);
}

export function hasChecksum(text: string): boolean {
  return checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** The environment and key id in a key; undefined if the key is malformed or its checksum is wrong. */
export function parseApiKey(key: string): ApiKeyParts | undefined {
  const match = pattern.exec(key);
  if (!match || !hasChecksum(key)) return undefined;
  // Safe casts: the pattern has these two groups, and the first is the name of an environment.
  return { environment: match[1] as Environment, keyId: match[2] as string };
}

/** The stored form of a key: its SHA-256, hexadecimal. */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}

/** Takes the same time wherever the two differ. */
export function sameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** CRC-32 as seven base-32 digits. It detects typing mistakes; it does not prove who made the key. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < checksumLength; place++) {
    digits = alphabet.charAt(rest & 31) + digits;
    rest >>>= 5;
  }
  return digits;
}

/**
 * The secret with which a client signs its request bodies. It derives from the installation's signing key and
 * the id of the API key, so every process can compute it and none stores it. A new ATELIER_SIGNING_KEY changes
 * all of them.
 * @returns `sks_` and 43 characters of base64url
 */
export function signingSecretOf(signingKey: string, keyId: string): string {
  return `sks_${createHmac('sha256', signingKey).update(keyId).digest('base64url')}`;
}
