import { createHash } from 'node:crypto';
import { invalid } from '../errors/api-error.js';

const visibleAscii = /^[\x21-\x7e]{1,255}$/;

/** @throws ApiError 422 for a key that is empty, too long, or holds anything but visible ASCII */
export function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && visibleAscii.test(header)) return header;
  const msg = 'must be 1 to 255 visible ASCII characters';
  throw invalid([{ loc: ['header', 'Idempotency-Key'], msg, type: 'string' }]);
}

/** SHA-256 of a validated body, the same whatever the order and the spelling of its fields. */
export function hashBody(body: object): string {
  return createHash('sha256').update(canonicalJson(body)).digest('hex');
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
