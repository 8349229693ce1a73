import { createHmac } from 'node:crypto';
import type { WebhookEndpoint } from './webhook.js';

/**
 * The secret that a receiver checks signatures with: derived from the installation's signing key, so that it is kept
 * nowhere and every process knows it (ADR 28).
 * @returns `whsec_` and 32 bytes in base64, as Standard Webhooks asks for
 */
export function webhookSecretOf(signingKey: string, endpointId: string, secretId: string): string {
  const derived = createHmac('sha256', signingKey).update(`webhook/${endpointId}/${secretId}`);
  return `whsec_${derived.digest('base64')}`;
}

/** Those that sign what is sent now, the newest first. */
export function signingSecretsOf(
  signingKey: string,
  { endpointId, secretId, previous }: WebhookEndpoint,
  now: Date,
): string[] {
  const ids =
    previous && Date.parse(previous.until) > now.getTime() ? [secretId, previous.secretId] : [secretId];
  return ids.map((id) => webhookSecretOf(signingKey, endpointId, id));
}
