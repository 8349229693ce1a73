import type { webhooks } from './openapi.js';

/** A message to an endpoint: `type` says which fields `data` has. */
export type WebhookMessage = {
  [Type in keyof webhooks]: webhooks[Type] extends {
    post: { requestBody: { content: { 'application/json': infer Message } } };
  }
    ? Message
    : never;
}[keyof webhooks];

/** The service did not sign the request, or signed it too long ago. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The message in a request to your endpoint, after its signature is verified.
 * @param body exactly as it arrived: parsing and writing it again changes the text
 * @param secret `whsec_…`, from the answer to the endpoint's registration or to its last rotation
 * @param toleranceSeconds the largest allowed difference between the request's time and ours; it stops replayed
 * requests
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = 300 }: { readonly toleranceSeconds?: number } = {},
): Promise<WebhookMessage> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    header(headers, name),
  );
  if (!id || !timestamp || !signatures)
    throw new WebhookVerificationError('the headers of a webhook are missing');
  const ageSeconds = Date.now() / 1_000 - Number(timestamp);
  if (!(Math.abs(ageSeconds) <= toleranceSeconds))
    throw new WebhookVerificationError('its time is too far from ours');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', fromBase64(secret.replace(/^whsec_/, '')), hmac, false, [
    'verify',
  ]);
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',');
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, fromBase64(value), signed)))
      // The cast is safe: the service made the message, and openapi.json describes it.
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookMessage;
  }
  throw new WebhookVerificationError('no signature fits: is this the secret of the endpoint?');
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([known]) => known.toLowerCase() === name) ?? [];
  // The service never sends this header twice.
  return typeof value === 'string' ? value : undefined;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw new WebhookVerificationError('the secret or the signature is not base64');
  }
}
