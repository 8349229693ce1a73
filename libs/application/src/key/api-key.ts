import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Environment } from '#domain/streams.js';
import { newId } from '#platform/ids.js';

/**
 * An API key is `sk_{environment}_{key id}{secret}{checksum}`: the prefix selects the data environment, the key id
 * (a ULID) names the key's event stream, the secret is 160 random bits, and the checksum lets a mistyped or made-up
 * key be refused without a look at the database. All in Crockford's base 32, so that a double click selects it whole.
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

/** The text, a new secret behind it, and the checksum of both. */
export function withSecret(text: string): string {
  const secret = Array.from(randomBytes(secretLength), (byte) => alphabet[byte & 31]).join('');
  return text + secret + checksum(text + secret);
}

/** Whether text ends with its checksum. */
export function hasChecksum(text: string): boolean {
  return checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** What a key says about itself, or undefined when it is malformed or its checksum is wrong. */
export function parseApiKey(key: string): ApiKeyParts | undefined {
  const match = pattern.exec(key);
  if (!match || !hasChecksum(key)) return undefined;
  // The pattern has these two groups, and the first is the name of an environment.
  return { environment: match[1] as Environment, keyId: match[2] as string };
}

/** What is stored of a key: SHA-256 of all of it, hexadecimal. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Takes the same time wherever they differ. */
export function sameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** CRC-32 as seven base-32 digits. It finds typing mistakes; it proves nothing about who made the key. */
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
 * The secret that a client signs the bodies of its requests with: derived from the installation's signing key and the
 * id of the API key, so that it is kept nowhere and every process knows it. Another ATELIER_SIGNING_KEY changes all of
 * them.
 * @returns `sks_` and 43 characters of base64url
 */
export function signingSecretOf(signingKey: string, keyId: string): string {
  return `sks_${createHmac('sha256', signingKey).update(keyId).digest('base64url')}`;
}
