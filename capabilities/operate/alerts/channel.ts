import { createHash } from 'node:crypto';
import { isDelivered, postOnce, signedHeaders, type CallOutcome } from '#platform/webhook-call.js';
import type { AlertSettings } from '../operate.settings.js';

/** An address that alerts are sent to. */
export interface Channel {
  /** A digest of the address, by which tables and logs name it. */
  readonly id: string;
  readonly host: string;
  readonly url: URL;
}

export function channelsOf({ secretUrls }: Pick<AlertSettings, 'secretUrls'>): Channel[] {
  return secretUrls.map((text) => {
    const url = new URL(text);
    return { id: createHash('sha256').update(text).digest('hex').slice(0, 16), host: url.host, url };
  });
}

/** How long a receiver may take to answer. */
const timeoutMs = 10_000;

interface Message {
  readonly messageId: string;
  readonly body: string;
}

/**
 * Calls the address once. Unlike the webhooks of tenants, it may be in any network: it comes from the settings of this
 * process, which name the database as well. Redirects are not followed.
 */
export function callChannel(
  { url }: Channel,
  { messageId, body }: Message,
  { secret, at, signal }: { readonly secret: string; readonly at: Date; readonly signal: AbortSignal },
): Promise<CallOutcome> {
  const headers = signedHeaders({
    id: messageId,
    at,
    body,
    secrets: [secret],
    userAgent: 'atelier-alerts/1',
  });
  return postOnce(url, { headers, body, timeoutMs, signal });
}

/** Undefined if the message has arrived. The answer itself is not repeated: it may hold what the receiver keeps secret. */
export function complaintOf(outcome: CallOutcome): string | undefined {
  if (isDelivered(outcome)) return undefined;
  return outcome.kind === 'answered' ? `it answered ${outcome.statusCode}` : outcome.error;
}
