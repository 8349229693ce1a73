import { createHmac } from 'node:crypto';
import type { WebhookEndpoint } from './webhook.js';

/**
 * The secret with which a receiver checks signatures. It derives from the installation's signing key, so it is
 * stored nowhere and every process knows it (ADR 28).
 * @returns `whsec_` and 32 bytes in base64, as Standard Webhooks requires
 */
export function webhookSecretOf(signingKey: string, endpointId: string, secretId: string): string {
  const derived = createHmac('sha256', signingKey).update(`webhook/${endpointId}/${secretId}`);
  return `whsec_${derived.digest('base64')}`;
}

/** The secrets that sign messages now, the newest first. */
export function signingSecretsOf(
  signingKey: string,
  { endpointId, secretId, previous }: WebhookEndpoint,
  now: Date,
): string[] {
  const ids =
    previous && Date.parse(previous.until) > now.getTime() ? [secretId, previous.secretId] : [secretId];
  return ids.map((id) => webhookSecretOf(signingKey, endpointId, id));
}
