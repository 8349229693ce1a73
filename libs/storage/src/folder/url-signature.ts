import { createHmac, timingSafeEqual } from 'node:crypto';

/** The permission to read one object until a moment, as it stands in a URL. */
export interface SignedRead {
  readonly key: string;
  /** Seconds since 1970. */
  readonly expires: number;
  readonly signature: string;
}

/** HMAC-SHA256 over method, key and expiry, in base64url. */
export function sign(secret: string, key: string, expires: number): string {
  return createHmac('sha256', secret).update(`GET\n${key}\n${expires}`).digest('base64url');
}

/** Takes the same time wherever a wrong signature differs. Says nothing about the expiry. */
export function isSignedBy(secret: string, { key, expires, signature }: SignedRead): boolean {
  const expected = Buffer.from(sign(secret, key, expires));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
