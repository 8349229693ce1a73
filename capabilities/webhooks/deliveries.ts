import type { Environment } from '#domain/streams.js';
import type { CallOutcome } from '#platform/webhook-call.js';
import type { WebhookMessageType } from './webhook.events.js';

/**
 * `pending` until an attempt is answered with success (`delivered`) or no attempt is left (`failed`). Sending
 * the delivery again makes it pending anew.
 */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** A message for one endpoint. The same event and endpoint always give the same id. */
export interface NewDelivery {
  readonly deliveryId: string;
  readonly tenant: string;
  readonly endpointId: string;
  readonly type: WebhookMessageType;
  /** The exact bytes that each attempt sends. */
  readonly body: string;
  /** When what it tells of was recorded. */
  readonly occurredAt: Date;
  /** Proves that this service has queued the delivery unchanged; null: an older release queued it. */
  readonly mac: string | null;
}

export interface Delivery extends NewDelivery {
  readonly status: DeliveryStatus;
  readonly round: number;
  /** Attempts of this round that are over. */
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
}

/** How one call of an endpoint ended. */
export interface DeliveryAttempt {
  readonly at: Date;
  readonly durationMs: number;
  /** Null: no answer came. */
  readonly statusCode: number | null;
  /** The first bytes of the answer, as text. */
  readonly answer: string | null;
  /** Why no answer came, or why the call was not made. */
  readonly error: string | null;
}

/** The consequence of an attempt. `retryAt` is null for the last one. */
export type AttemptVerdict =
  { readonly kind: 'delivered' } | { readonly kind: 'failed'; readonly retryAt: Date | null };

export interface DeliveryWithAttempts extends Omit<Delivery, 'body' | 'tenant' | 'mac'> {
  /** The oldest first. */
  readonly made: readonly DeliveryAttempt[];
}

export interface DeliveriesFilter {
  readonly endpointId: string;
  readonly status?: DeliveryStatus | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** How long a delivery and its attempts are kept. */
export const deliveryRetentionDays = 30;

export interface WebhookCall {
  readonly environment: Environment;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Calls addresses that customers gave, but only those that may be called. */
export abstract class WebhookTransport {
  abstract post(call: WebhookCall): Promise<CallOutcome>;

  /** Why the address cannot be an endpoint, as the second half of a sentence; undefined if it can. */
  abstract complaintAbout(environment: Environment, url: string): Promise<string | undefined>;
}
