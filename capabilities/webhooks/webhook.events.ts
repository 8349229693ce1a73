import type { EventFamily } from '#domain/event-family.js';

/** The topics that messages about jobs, credits and endpoints have. */
export type OwnTopic =
  'job.succeeded' | 'job.failed' | 'job.stage' | 'batch.finished' | 'credits.low' | 'webhook.disabled';

/** The topics of messages to an endpoint: the own ones, and those of the capabilities' notices. */
export type WebhookTopic = string;

/** Includes messages that are only sent on request. */
export type WebhookMessageType = WebhookTopic;

/** The address of the messages, and their topics. */
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
 * The events of `{env}.webhook-{tenant}`, as they are stored: all endpoints of a tenant. They never hold a
 * secret: it derives from its id and the installation's signing key (ADR 28).
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
      /** The previous secret also signs until `previousUntil`. */
      data: { endpointId: string; secretId: string; previousUntil: string; at: string };
    }
  | { type: 'WebhookEndpointRemoved'; data: { endpointId: string; at: string } };

/**
 * The events of `{env}.delivery-{request}`, as they are stored. Each stream has one event: a caller's request
 * to send something.
 */
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
  personal: {
    WebhookEndpointRegistered: {
      url: false,
      events: false,
      description: true,
      endpointId: false,
      tenant: false,
      secretId: false,
    },
    WebhookEndpointRevised: { url: false, events: false, description: true, endpointId: false },
    WebhookEndpointDisabled: { endpointId: false },
    WebhookEndpointEnabled: { endpointId: false },
    WebhookSecretRotated: { endpointId: false, secretId: false, previousUntil: false },
    WebhookEndpointRemoved: { endpointId: false },
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
  personal: {
    WebhookTestRequested: { endpointId: false, tenant: false },
    WebhookResendRequested: {
      endpointId: false,
      tenant: false,
      scope: { deliveryId: false, since: false, until: false },
    },
  },
};
