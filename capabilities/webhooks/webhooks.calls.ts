import type { DeliveryStatus } from './deliveries.js';
import { Deliveries } from './postgres-deliveries.js';
import {
  ChangeWebhook,
  RegisterWebhook,
  RequestWebhookDelivery,
  testDeliveryId,
  webhooksOf,
  type RequestedMessage,
  type WebhookChange,
  type WebhookOrder,
} from './manage-webhooks.handler.js';
import { webhookSecretOf } from './webhook-secret.js';
import type { ResendScope, WebhookTopic } from './webhook.events.js';
import { mostEndpoints, webhookTopics, type WebhookEndpoint } from './webhook.js';
import {
  BooleanField,
  ChoiceField,
  choice,
  IdField,
  IntegerField,
  ListField,
  TextField,
} from '#validation/fields.js';
import { defineCall, type AsJson } from '#operator-calls/call.js';
import { OfAccount, OfTenantInEnvironment, environmentsOf, timeOf } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { printLine, printProperties, printTable } from '#operator-calls/output.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { WebhooksModule } from './webhooks.module.js';

const features = [WebhooksModule];

class OneWebhook extends OfAccount {
  @IdField({ description: 'The endpoint, as `webhooks list` shows it.', required: true })
  webhook: string;
}

const eventsField = {
  items: choice(webhookTopics),
  min: 1,
  max: webhookTopics.length,
  unique: true,
  description: 'The messages that it gets.',
};
/** The command takes topics in any order, and the endpoint stores them in ours. */
const inOrder = (events: readonly WebhookTopic[]) => webhookTopics.filter((topic) => events.includes(topic));

const urlField = { description: 'Where messages are sent.', min: 1, max: 2_048 };
const descriptionField = { description: 'For people.', max: 256 };
/** More than any balance. */
const mostCredits = 1_000_000_000;
const lowField = {
  description: '`credits.low` is sent when a charge takes the balance below this.',
  min: 1,
  max: mostCredits,
};

class NewWebhook extends OfAccount {
  @TextField({ ...urlField, required: true })
  url: string;

  @ListField({ ...eventsField, required: true })
  events: WebhookTopic[];

  @TextField(descriptionField)
  description: string = '';

  @IntegerField({ ...lowField, default: 100 })
  credits_low_below: number = 100;
}

export const createWebhook = defineCall({
  name: 'webhooks create',
  route: 'POST /tenants/:tenant/webhooks',
  may: ['support'],
  summary: 'Register an endpoint; its secret is shown once',
  input: NewWebhook,
  features,
  prepare: (input) => ({ ...input, events: inOrder(input.events) }),
  async run(operator, { tenant, env, url, events, description, credits_low_below: creditsLowBelow }) {
    await operator.account(env, tenant);
    const signingKey = signingKeyOf(operator);
    const terms = { url, events, description, creditsLowBelow };
    const created = await operator.execute(new RegisterWebhook(operator.context(env, tenant), terms));
    return withSecret(changed(created, url), signingKey);
  },
  summarise: ({ webhook_id }) => `webhook ${webhook_id}`,
  print: printWithSecret,
});

export const listTenantWebhooks = defineCall({
  name: 'webhooks list',
  route: 'GET /tenants/:tenant/webhooks',
  may: ['read'],
  summary: 'The endpoints of a tenant',
  input: OfTenantInEnvironment,
  async run(operator, { tenant, env }) {
    await operator.accountsOf(tenant, env);
    const found = [];
    for (const environment of environmentsOf(env))
      for (const endpoint of await webhooksOf(operator.store, environment, tenant))
        found.push({ env: environment, ...describe(endpoint) });
    return { tenant_id: tenant, webhooks: found };
  },
  print: ({ webhooks }) =>
    printTable(webhooks, {
      'webhook id': (each) => each.webhook_id,
      environment: (each) => each.env,
      url: (each) => each.url,
      events: (each) => each.events.join(', '),
      disabled: (each) => each.disabled_because,
    }),
});

class RevisedWebhook extends OneWebhook {
  @TextField(urlField)
  url?: string;

  @ListField(eventsField)
  events?: WebhookTopic[];

  @TextField(descriptionField)
  description?: string;

  @IntegerField(lowField)
  credits_low_below?: number;

  @BooleanField({ description: 'Let it receive messages again.' })
  enable?: boolean;

  @BooleanField({ description: 'Stop its messages.' })
  disable?: boolean;
}

export const updateWebhook = defineCall({
  name: 'webhooks update',
  route: 'PATCH /tenants/:tenant/webhooks/:webhook',
  may: ['support'],
  summary: 'Change an endpoint; fields that are left out stay as they are',
  input: RevisedWebhook,
  features,
  prepare(input) {
    if (input.enable && input.disable)
      throw new CallRefused('--enable and --disable exclude each other: use one of them');
    return input.events ? { ...input, events: inOrder(input.events) } : input;
  },
  run(operator, input) {
    const { url, events, description, credits_low_below: creditsLowBelow, enable, disable } = input;
    const given = Object.entries({ url, events, description, creditsLowBelow });
    const terms = Object.fromEntries(given.filter(([, value]) => value !== undefined));
    const enabled = enable ? true : disable ? false : undefined;
    return change(operator, input, { kind: 'revise', terms, enabled });
  },
  print: ({ webhook_id }) => printLine(`Webhook ${webhook_id} is changed.`),
});

export const removeWebhook = defineCall({
  name: 'webhooks remove',
  route: 'POST /tenants/:tenant/webhooks/:webhook/remove',
  may: ['support'],
  summary: 'Remove an endpoint for good',
  input: OneWebhook,
  features,
  run: (operator, input) => change(operator, input, { kind: 'remove' }),
  print: ({ webhook_id }) => printLine(`Webhook ${webhook_id} is removed.`),
});

async function change(operator: Operator, { tenant, env, webhook }: OneWebhook, order: WebhookOrder) {
  const command = new ChangeWebhook(operator.context(env, tenant), webhook, order);
  return describe(changed(await operator.execute(command), webhook));
}

class SecretRotation extends OneWebhook {
  @IntegerField({
    description: 'How long the previous secret still signs as well, in milliseconds.',
    min: 0,
    max: 7 * 86_400_000,
    default: 86_400_000,
  })
  overlap: number = 86_400_000;
}

export const rotateWebhookSecret = defineCall({
  name: 'webhooks rotate-secret',
  route: 'POST /tenants/:tenant/webhooks/:webhook/rotate-secret',
  may: ['support'],
  summary: 'Give an endpoint a new secret, which is shown once',
  input: SecretRotation,
  typed: { overlap: 'duration' },
  features,
  async run(operator, { tenant, env, webhook, overlap }) {
    const signingKey = signingKeyOf(operator);
    const order = { kind: 'rotate-secret', overlapMs: overlap } as const;
    const rotated = await operator.execute(new ChangeWebhook(operator.context(env, tenant), webhook, order));
    return withSecret(changed(rotated, webhook), signingKey);
  },
  print: printWithSecret,
});

export const testWebhook = defineCall({
  name: 'webhooks test',
  route: 'POST /tenants/:tenant/webhooks/:webhook/test',
  may: ['support'],
  summary: 'Send it a webhook.test message',
  input: OneWebhook,
  features,
  run: (operator, input) => request(operator, input, { kind: 'test' }),
  print: printRequested,
});

class Resending extends OneWebhook {
  @IdField({ description: 'This delivery.' })
  delivery?: string;

  @TextField({ description: 'Deliveries about events from this time on.', min: 1, max: 40 })
  since?: string;

  @TextField({ description: 'And before this time.', min: 1, max: 40 })
  until?: string;

  @BooleanField({ description: 'All deliveries that have failed for good.' })
  failed?: boolean;
}

export const resendWebhook = defineCall({
  name: 'webhooks resend',
  route: 'POST /tenants/:tenant/webhooks/:webhook/resend',
  may: ['support'],
  summary: 'Send deliveries again: one, all of a period, or all that failed',
  input: Resending,
  features,
  run: (operator, input) => request(operator, input, { kind: 'resend', scope: scopeOf(input) }),
  print: printRequested,
});

function scopeOf({ delivery, since, until, failed }: Resending): ResendScope {
  if ([delivery, since, failed].filter(Boolean).length !== 1 || (until && !since))
    throw new CallRefused('give exactly one of --delivery, --since (--until is optional) and --failed');
  if (delivery) return { kind: 'delivery', deliveryId: delivery };
  if (!since) return { kind: 'failed' };
  const moment = (option: string, text: string) => new Date(timeOf(option, text)).toISOString();
  const end = until === undefined ? new Date().toISOString() : moment('--until', until);
  return { kind: 'period', since: moment('--since', since), until: end };
}

async function request(operator: Operator, { tenant, env, webhook }: OneWebhook, message: RequestedMessage) {
  const context = operator.context(env, tenant);
  const requested = await operator.execute(new RequestWebhookDelivery(context, webhook, message));
  if (requested.kind === 'unknown-webhook') throw unknownWebhook(webhook);
  if (requested.kind === 'unknown-delivery')
    throw new CallRefused(`webhook ${webhook} has no delivery ${requested.deliveryId}`, 'RESOURCE_NOT_FOUND');
  const delivery = message.kind === 'test' ? { delivery_id: testDeliveryId(context, webhook) } : {};
  return { webhook_id: webhook, status: 'REQUESTED' as const, ...delivery };
}

function printRequested(): void {
  printLine('Requested: "atelier webhooks deliveries" shows the outcome.');
}

class SoughtDeliveries extends OneWebhook {
  @ChoiceField({ description: 'Only those.', values: ['pending', 'delivered', 'failed'] })
  status?: DeliveryStatus;

  @IntegerField({ description: 'How many.', min: 1, max: 1_000, default: 50 })
  limit: number = 50;
}

export const listWebhookDeliveries = defineCall({
  name: 'webhooks deliveries',
  route: 'GET /tenants/:tenant/webhooks/:webhook/deliveries',
  may: ['read'],
  summary: 'Deliveries of the last 30 days, and how they went; newest first',
  input: SoughtDeliveries,
  features,
  async run(operator, { tenant, env, webhook, status, limit }) {
    const filter = { endpointId: webhook, status, limit, offset: 0 };
    const { items, total } = await operator.get(Deliveries).list(env, tenant, filter);
    return { webhook_id: webhook, total, deliveries: items };
  },
  print: ({ deliveries }) =>
    printTable(deliveries, {
      'delivery id': (each) => each.deliveryId,
      type: (each) => each.type,
      status: (each) => each.status,
      occurred: (each) => each.occurredAt,
      attempts: (each) => each.made.length,
      'last answer': ({ made }) => made.at(-1)?.statusCode ?? made.at(-1)?.error,
    }),
});

function describe(endpoint: WebhookEndpoint) {
  const { endpointId, url, events, description, creditsLowBelow, disabled, registeredAt } = endpoint;
  return {
    webhook_id: endpointId,
    url,
    events,
    description,
    credits_low_below: creditsLowBelow,
    disabled_because: disabled?.reason,
    disabled_at: disabled?.at,
    created_at: registeredAt,
  };
}

function withSecret(endpoint: WebhookEndpoint, signingKey: string) {
  return {
    ...describe(endpoint),
    secret: webhookSecretOf(signingKey, endpoint.endpointId, endpoint.secretId),
  };
}

function printWithSecret({ webhook_id, url, secret }: AsJson<ReturnType<typeof withSecret>>): void {
  printProperties([
    ['webhook id', webhook_id],
    ['url', url],
    ['secret', secret],
    ['', 'The secret is shown only now. The receiver checks signatures with it.'],
  ]);
}

/** @param what was named, for a complaint */
function changed(change: WebhookChange, what: string): WebhookEndpoint {
  if (change.kind === 'changed') return change.endpoint;
  if (change.kind === 'bad-address') throw new CallRefused(`the url ${change.complaint}`);
  if (change.rejection.code === 'WEBHOOK_NOT_FOUND') throw unknownWebhook(what);
  throw new CallRefused(`a tenant has ${mostEndpoints} webhooks at most: remove one first`);
}

function unknownWebhook(endpointId: string): CallRefused {
  return new CallRefused(
    `the tenant has no webhook ${endpointId} in this environment: "atelier webhooks list" shows their ids`,
    'RESOURCE_NOT_FOUND',
  );
}

function signingKeyOf({ configuration: { signingKey } }: Operator): string {
  if (signingKey !== undefined) return signingKey;
  throw new CallRefused(
    'no webhook can be signed here: set ATELIER_SIGNING_KEY, for the API and the workers as well',
  );
}
