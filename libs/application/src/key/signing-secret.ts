import { createHmac } from 'node:crypto';

/**
 * The secret that a client signs the bodies of its requests with: derived from the installation's signing key and the
 * id of the API key, so that it is kept nowhere and every process knows it. Whoever changes ATELIER_SIGNING_KEY changes
 * all of them.
 * @returns `sks_` and 43 characters of base64url
 */
export function signingSecretOf(signingKey: string, keyId: string): string {
  return `sks_${createHmac('sha256', signingKey).update(keyId).digest('base64url')}`;
}
