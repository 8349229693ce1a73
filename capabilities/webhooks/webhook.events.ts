import type { EventFamily } from '#domain/event-family.js';

/** What an endpoint can be told of. */
export type WebhookTopic =
  'job.succeeded' | 'job.failed' | 'job.stage' | 'batch.finished' | 'credits.low' | 'webhook.disabled';

/** Also what is only sent when it is asked for. */
export type WebhookMessageType = WebhookTopic | 'webhook.test';

/** Where messages go, and which. */
export interface WebhookTerms {
  url: string;
  events: WebhookTopic[];
  description: string;
  /** `credits.low` is sent by the debit that takes the balance below it. */
  creditsLowBelow: number;
}

/** Why an endpoint gets no messages: its owner asked for that, every call failed for days, or it answered 410. */
export type WebhookDisableReason = 'requested' | 'failing' | 'gone';

/** Which deliveries are sent again. */
export type ResendScope =
  | { kind: 'delivery'; deliveryId: string }
  | { kind: 'period'; since: string; until: string }
  | { kind: 'failed' };

/**
 * The events of `{env}.webhook-{tenant}`, as they are stored: all endpoints of a tenant. A secret is never in one; its id
 * and the installation's signing key give it (ADR 28).
 */
export type WebhookEvent =
  | {
      type: 'WebhookEndpointRegistered';
      data: WebhookTerms & { endpointId: string; tenant: string; secretId: string; at: string };
    }
  | { type: 'WebhookEndpointRevised'; data: WebhookTerms & { endpointId: string; at: string } }
  | {
      type: 'WebhookEndpointDisabled';
      data: { endpointId: string; reason: WebhookDisableReason; at: string };
    }
  | { type: 'WebhookEndpointEnabled'; data: { endpointId: string; at: string } }
  | {
      type: 'WebhookSecretRotated';
      /** The secret before signs as well until `previousUntil`. */
      data: { endpointId: string; secretId: string; previousUntil: string; at: string };
    }
  | { type: 'WebhookEndpointRemoved'; data: { endpointId: string; at: string } };

/** The events of `{env}.delivery-{request}`, as they are stored: each stream has one, what a caller asked to be sent. */
export type DeliveryEvent =
  | { type: 'WebhookTestRequested'; data: { endpointId: string; tenant: string; at: string } }
  | {
      type: 'WebhookResendRequested';
      data: { endpointId: string; tenant: string; scope: ResendScope; at: string };
    };

export const webhookFamily: EventFamily<'webhook', WebhookEvent> = {
  category: 'webhook',
  owner: 'named-tenant',
  idFields: {},
  upcasters: {
    WebhookEndpointRegistered: [],
    WebhookEndpointRevised: [],
    WebhookEndpointDisabled: [],
    WebhookEndpointEnabled: [],
    WebhookSecretRotated: [],
    WebhookEndpointRemoved: [],
  },
};

export const deliveryFamily: EventFamily<'delivery', DeliveryEvent> = {
  category: 'delivery',
  owner: 'tenant',
  idFields: {},
  upcasters: {
    WebhookTestRequested: [],
    WebhookResendRequested: [],
  },
};
