import { accept, reject, type Decision } from '#domain/decision.js';
import { declaredNotices } from '#capabilities/parts.js';
import type {
  DeliveryEvent,
  OwnTopic,
  WebhookDisableReason,
  WebhookEvent,
  WebhookTerms,
  WebhookTopic,
} from './webhook.events.js';

const ownTopics: readonly OwnTopic[] = [
  'job.succeeded',
  'job.failed',
  'job.stage',
  'batch.finished',
  'credits.low',
  'webhook.disabled',
];

export const webhookTopics: readonly WebhookTopic[] = [
  ...ownTopics,
  ...declaredNotices.map(({ topic }) => topic),
];

/**
 * An endpoint is enabled when it is registered. WebhookEndpointDisabled stops its messages and
 * WebhookEndpointEnabled lets them flow again; events in between are never sent. WebhookEndpointRemoved forgets
 * it for good.
 */
export interface WebhookEndpoint extends Readonly<WebhookTerms> {
  readonly endpointId: string;
  /** Undefined if the endpoint is enabled. */
  readonly disabled: { readonly reason: WebhookDisableReason; readonly at: string } | undefined;
  readonly secretId: string;
  /** The previous secret, as long as it signs too. */
  readonly previous: { readonly secretId: string; readonly until: string } | undefined;
  readonly registeredAt: string;
  /** When it was last registered, revised or enabled. Earlier failures say nothing about its present form. */
  readonly inForceSince: string;
}

/** All endpoints of a tenant, in the order of their registration. */
export type TenantWebhooks = readonly WebhookEndpoint[];

export const initialWebhooks: TenantWebhooks = [];

/** A tenant's endpoints are always read together, so there must be few of them. */
export const mostEndpoints = 20;

export type WebhookRejection = { readonly code: 'WEBHOOK_NOT_FOUND' | 'TOO_MANY_WEBHOOKS' };

export function evolveWebhooks(webhooks: TenantWebhooks, event: WebhookEvent): TenantWebhooks {
  switch (event.type) {
    case 'WebhookEndpointRegistered': {
      const { at, tenant: _, ...endpoint } = event.data;
      const since = { registeredAt: at, inForceSince: at };
      return [...webhooks, { ...endpoint, ...since, disabled: undefined, previous: undefined }];
    }
    case 'WebhookEndpointRevised': {
      const { at: inForceSince, endpointId, ...terms } = event.data;
      return changed(webhooks, endpointId, () => ({ ...terms, inForceSince }));
    }
    case 'WebhookEndpointDisabled': {
      const { endpointId, ...disabled } = event.data;
      return changed(webhooks, endpointId, () => ({ disabled }));
    }
    case 'WebhookEndpointEnabled': {
      const { at: inForceSince, endpointId } = event.data;
      return changed(webhooks, endpointId, () => ({ disabled: undefined, inForceSince }));
    }
    case 'WebhookSecretRotated': {
      const { endpointId, secretId, previousUntil: until } = event.data;
      return changed(webhooks, endpointId, (before) => ({
        secretId,
        previous: { secretId: before.secretId, until },
      }));
    }
    case 'WebhookEndpointRemoved':
      return webhooks.filter(({ endpointId }) => endpointId !== event.data.endpointId);
    default:
      return event satisfies never;
  }
}

function changed(
  webhooks: TenantWebhooks,
  endpointId: string,
  change: (endpoint: WebhookEndpoint) => Partial<WebhookEndpoint>,
): TenantWebhooks {
  return webhooks.map((each) => (each.endpointId === endpointId ? { ...each, ...change(each) } : each));
}

export function endpointOf(webhooks: TenantWebhooks, endpointId: string): WebhookEndpoint | undefined {
  return webhooks.find((each) => each.endpointId === endpointId);
}

/** Registering it again under the same id changes nothing. */
export function registerEndpoint(
  command: WebhookTerms & { endpointId: string; tenant: string; secretId: string; at: string },
  webhooks: TenantWebhooks,
): Decision<WebhookEvent, WebhookRejection> {
  if (endpointOf(webhooks, command.endpointId)) return accept();
  if (webhooks.length >= mostEndpoints) return reject({ code: 'TOO_MANY_WEBHOOKS' });
  return accept({ type: 'WebhookEndpointRegistered', data: { ...command } });
}

export interface ReviseEndpoint {
  readonly endpointId: string;
  /** Absent fields stay as they are. */
  readonly terms: Partial<WebhookTerms>;
  readonly enabled?: boolean | undefined;
  readonly at: string;
}

/** A value that does not change makes no event. */
export function reviseEndpoint(
  { endpointId, terms, enabled, at }: ReviseEndpoint,
  webhooks: TenantWebhooks,
): Decision<WebhookEvent, WebhookRejection> {
  const known = endpointOf(webhooks, endpointId);
  if (!known) return reject({ code: 'WEBHOOK_NOT_FOUND' });
  const { url, events, description, creditsLowBelow } = known;
  const before: WebhookTerms = { url, events, description, creditsLowBelow };
  const after = { ...before, ...terms };
  const happened: WebhookEvent[] = [];
  if (JSON.stringify(after) !== JSON.stringify(before))
    happened.push({ type: 'WebhookEndpointRevised', data: { ...after, endpointId, at } });
  if (enabled === true && known.disabled)
    happened.push({ type: 'WebhookEndpointEnabled', data: { endpointId, at } });
  if (enabled === false && !known.disabled)
    happened.push({ type: 'WebhookEndpointDisabled', data: { endpointId, reason: 'requested', at } });
  return accept(...happened);
}

/** Switches an endpoint off on behalf of the service. An endpoint that is off stays as it is. */
export function switchOffEndpoint(
  data: { endpointId: string; reason: WebhookDisableReason; at: string },
  webhooks: TenantWebhooks,
): Decision<WebhookEvent, WebhookRejection> {
  const known = endpointOf(webhooks, data.endpointId);
  if (!known) return reject({ code: 'WEBHOOK_NOT_FOUND' });
  return known.disabled ? accept() : accept({ type: 'WebhookEndpointDisabled', data: { ...data } });
}

/** At most two secrets sign: a rotation during the time of another one ends the oldest secret at once. */
export function rotateSecret(
  data: { endpointId: string; secretId: string; previousUntil: string; at: string },
  webhooks: TenantWebhooks,
): Decision<WebhookEvent, WebhookRejection> {
  const known = endpointOf(webhooks, data.endpointId);
  if (!known) return reject({ code: 'WEBHOOK_NOT_FOUND' });
  if (known.secretId === data.secretId) return accept();
  return accept({ type: 'WebhookSecretRotated', data: { ...data } });
}

export function removeEndpoint(
  data: { endpointId: string; at: string },
  webhooks: TenantWebhooks,
): Decision<WebhookEvent, WebhookRejection> {
  if (!endpointOf(webhooks, data.endpointId)) return reject({ code: 'WEBHOOK_NOT_FOUND' });
  return accept({ type: 'WebhookEndpointRemoved', data: { ...data } });
}

/** The stream's only event; undefined before it. */
export type RequestedDelivery = DeliveryEvent | undefined;

export const initialDelivery: RequestedDelivery = undefined;

export function evolveDelivery(_none: RequestedDelivery, event: DeliveryEvent): RequestedDelivery {
  return event;
}

export function requestDelivery(event: DeliveryEvent, known: RequestedDelivery): Decision<DeliveryEvent> {
  return known ? accept() : accept(event);
}
