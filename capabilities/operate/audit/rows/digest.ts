import { randomInt } from 'node:crypto';

/**
 * New in each run. A digest without a secret is easy to reverse: a person who can write rows could alter one
 * cell and choose another so that the digest stays the same.
 */
const secret = randomInt(2 ** 32) | 0;

const double = new Float64Array(1);
const words = new Int32Array(double.buffer);

/**
 * A signed digest of 32 bits for a text, a number or any JSON value (FNV-1a, with a last round of mixing). For
 * texts as short as a cell, the hashes of node:crypto take five times as long.
 */
export function digestOf(value: unknown, seed = secret): number {
  switch (typeof value) {
    case 'string':
      return digestOfText(value, seed);
    case 'number':
      // Adding 0 makes −0 the 0 that PostgreSQL gives back.
      double[0] = value + 0;
      return mixed(mixed(seed ^ words[0]!) ^ words[1]!);
    case 'boolean':
      return mixed(seed ^ (value ? 0x51ed270b : 0x2545f491));
    default:
      return mixed(seed + (value ? digestOfObject(value) : 0x1b873593));
  }
}

function digestOfObject(value: object): number {
  if (Array.isArray(value)) return value.reduce<number>((digest, item) => digestOf(item, digest + 1), secret);
  let digest = 0x1f83d9ab;
  // A value from JSON or a row is a plain object here. The digest is a sum, because jsonb changes the order of
  // members.
  for (const name in value) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (member !== undefined) digest = (digest + digestOf(member, digestOfText(name, secret))) | 0;
  }
  return digest;
}

function digestOfText(text: string, seed: number): number {
  let digest = seed ^ 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    digest = Math.imul(digest ^ text.charCodeAt(index), 0x01000193);
  return mixed(digest);
}

function mixed(digest: number): number {
  const once = Math.imul(digest ^ (digest >>> 16), 0x85ebca6b);
  return once ^ (once >>> 13);
}
